# Two images: "rungs" (web, workers, beat, migrate) and "proxy". See docs/operators/stack.md for updates.
ARG PYTHON=python:3.11.15-slim-bookworm
ARG CADDY=caddy:2.11.7-alpine

FROM ${PYTHON} AS packages
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
# With the extras of large sites: Numba for replays, and what SENTRY_DSN and OTEL_… switch on.
COPY deploy/requirements.lock /
RUN python -m venv /opt/venv && /opt/venv/bin/pip install --no-deps --require-hashes -r /requirements.lock

FROM ${PYTHON} AS rungs
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/srv/var
WORKDIR /srv/rungs
# For backups: pg_dump and pg_restore of the server's version, from PostgreSQL's package repository.
# Debian removes old versions of packages, so none is pinned.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates postgresql-common \
    && sh /usr/share/postgresql-common/pgdg/*.sh -y \
    && apt-get install -y --no-install-recommends postgresql-client-18 \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 rungs \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /srv/var --shell /usr/sbin/nologin rungs \
    && install -d -o rungs -g rungs -m 0700 /srv/var /srv/keys /srv/spool /srv/exports /srv/backups
COPY --from=packages /opt/venv /opt/venv
COPY manage.py pyproject.toml ./
COPY league league
COPY ratings ratings
COPY templates templates
# Compile modules and collect static files once: a container starts faster, and cannot write there.
RUN python -m compileall -q league ratings \
    && RUNGS_VAR=/tmp/build RUNGS_STATIC=/srv/static python manage.py collectstatic --noinput --verbosity 0 \
    && rm -rf /tmp/build
USER 10001:10001
ENV RUNGS_VAR=/srv/var RUNGS_STATIC=/srv/static
EXPOSE 8000
CMD ["python", "-m", "league.web.server", "--bind", "0.0.0.0:8000"]

FROM ${CADDY} AS proxy
# The proxy listens on ports above 1024 and needs no capability. The image's file capability would prevent a start without.
RUN setcap -r /usr/bin/caddy \
    && install -d -o 10002 -g 10002 -m 0700 /srv/certificates
COPY deploy/Caddyfile /etc/caddy/Caddyfile
USER 10002:10002
EXPOSE 8080 8443
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
