"""Forgotten passwords: asking for a link, and choosing a new password by one."""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import PasswordResetForm, SetPasswordForm
from django.contrib.auth.views import INTERNAL_RESET_SESSION_TOKEN, PasswordResetConfirmView, PasswordResetView
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from league.asker import address_of, network_of
from league.desk.links import hidden, sentence, slowed
from league.desk.login import in_words, tell
from league.errors import RungsError
from league.queue import enqueue
from league.services.accounts.logins import spend, spend_mail, succeed
from league.services.accounts.passwords import EITHER, OVER, set_new_password

#: The name under which wrong links from an address are counted; no username has a colon.
LINKS = "link: password"
TITLE = gettext_noop("New password")
if TYPE_CHECKING:
    NewPasswordForm = SetPasswordForm[Any]
else:
    NewPasswordForm = SetPasswordForm


class ForgottenForm(PasswordResetForm):
    """The address of an account. Whether there is one is told to nobody."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = _("E-mail")

    def enqueue(self, origin: str) -> None:
        """Have a worker send a link to each account with the address: it takes the same time where there is none."""
        for user in self.get_users(self.cleaned_data["email"]):
            enqueue("league.password", user.pk, origin, get_language() or "")


@method_decorator(never_cache, name="dispatch")
class Forgotten(PasswordResetView):
    """Asks for the address to which a link goes; where the site sends no mail, says who else helps."""

    template_name = "look/forgotten.html"
    form_class = ForgottenForm
    success_url = reverse_lazy("asked")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer; nothing is asked where no mail is sent."""
        if not settings.EMAIL_HOST:
            return render(request, self.template_name, {"mail": False})
        return super().dispatch(request, *args, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return what the page is made of."""
        return super().get_context_data(mail=True, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        """Send the link, unless too many were asked for."""
        wait = spend_mail(form.cleaned_data["email"], network_of(address_of(self.request))).wait
        if wait:
            text = _("A link was asked for too often. Wait {time}, then try again.")
            form.add_error(None, text.format(time=in_words(wait)))
            answer = self.form_invalid(form)
            answer.status_code = 429
            answer["Retry-After"] = str(wait)
            return answer
        # Where the site says where it is found, no host that somebody asked by gets into a mail.
        form.enqueue(settings.RUNGS_ORIGIN or f"{self.request.scheme}://{self.request.get_host()}")
        return HttpResponseRedirect(str(self.success_url))


def asked(request: HttpRequest) -> HttpResponse:
    """Say that a link is on its way, if there is such an account."""
    text = _(
        "If an account has this address, a link to a new password is on its way there. It is good once, for a day."
    )
    return render(request, "look/sentence.html", {"title": _("Look into your mail"), "sentence": text})


class ChoiceForm(NewPasswordForm):
    """A new password, twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        first, again = self.fields["new_password1"], self.fields["new_password2"]
        first.label = _("New password")
        first.help_text = _("At least 8 characters, and not one that many people have.")
        again.label, again.help_text = _("New password again"), ""


class Reset(PasswordResetConfirmView):
    """Lets whoever has the link choose a new password."""

    template_name = "look/reset.html"
    form_class = ChoiceForm
    token_generator: Any = EITHER

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Look at the link, unless too many wrong ones came from the same address."""
        tried = (LINKS, network_of(address_of(request)))
        wait = spend(*tried).wait
        if wait:
            return slowed(request, _(TITLE), wait)
        answer: Any = super().dispatch(request, *args, **kwargs)
        if isinstance(answer, TemplateResponse) and not self.validlink:
            return sentence(request, _(TITLE), _(OVER), 410)
        succeed(*tried)
        return hidden(answer)

    def form_valid(self, form: Any) -> HttpResponse:
        """Write the new password, if the link is good still."""
        token = self.request.session.pop(INTERNAL_RESET_SESSION_TOKEN, "")
        try:
            set_new_password(form.user.pk, token, form.cleaned_data["new_password1"])
        except RungsError as error:
            return sentence(self.request, _(TITLE), error.detail, error.status)
        tell("New password by a link", form.user.get_username(), self.request)
        messages.success(self.request, _("The password is changed. Sign in with it."))
        return HttpResponseRedirect(reverse("admin:login"))
