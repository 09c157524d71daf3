FROM python:3.11-slim-bookworm
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 RUNGS_VAR=/srv/var
WORKDIR /srv/rungs
# For the pictures of links: letters of all European alphabets (docs/sharing.md).
RUN apt-get update \
    && apt-get install -y --no-install-recommends fonts-liberation fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/*
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock \
    && useradd --system --create-home rungs \
    && mkdir -p /srv/var /srv/keys && chown rungs /srv/var /srv/keys
COPY manage.py pyproject.toml ./
COPY league league
COPY ratings ratings
COPY templates templates
USER rungs
RUN RUNGS_SECRET_KEY=only-for-collecting-static-files-at-build-time python manage.py collectstatic --noinput --verbosity 0
EXPOSE 8000
ENV RUNGS_WEB_WORKERS=4
CMD ["gunicorn", "league.wsgi", "--config", "python:league.web.config", "--bind", "0.0.0.0:8000"]
