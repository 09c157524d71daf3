"""The pages for what goes wrong; below the API a problem document instead."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from league.api.problems import plain


def respond(request: HttpRequest, status: int, title: str, sentence: str) -> HttpResponseBase:
    """Return the page, or the document, of an error."""
    if request.path.startswith("/api/"):
        return plain(status, sentence)
    return render(request, "error.html", {"title": title, "sentence": sentence}, status=status)


def bad_request(request: HttpRequest, exception: Any = None) -> HttpResponseBase:
    """Answer a request that makes no sense."""
    return respond(
        request, 400, "That did not make sense", "The request could not be understood; go back and try again."
    )


def forbidden(request: HttpRequest, exception: Any = None) -> HttpResponseBase:
    """Answer a request that is not allowed."""
    return respond(request, 403, "Not allowed", "You may not do this; sign in as somebody who may.")


def not_found(request: HttpRequest, exception: Any = None) -> HttpResponseBase:
    """Answer an address that leads nowhere."""
    return respond(request, 404, "Not found", "There is nothing at this address.")


def failed(request: HttpRequest) -> HttpResponseBase:
    """Answer when the server failed; no database and no context is asked."""
    sentence = "The server failed; nothing of what you did was half-done. Try again in a moment."
    if request.path.startswith("/api/"):
        return plain(500, sentence)
    return HttpResponse(f"<!doctype html><title>Error</title><h1>Something failed</h1><p>{sentence}</p>", status=500)
