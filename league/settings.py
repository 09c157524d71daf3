"""The only settings module. Everything that differs between machines comes from the environment."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import dj_database_url
from csp.constants import NONE, SELF

from league.core.monitoring import log_config
from league.environment import Environment, compute_digest, create_data_folder

BASE_DIR = Path(__file__).resolve().parent.parent
ENV = Environment()
VAR = ENV.data_folder(BASE_DIR)

DEBUG = ENV.flag("RUNGS_DEBUG")
PRODUCTION = ENV.flag("RUNGS_PRODUCTION")
SECRET_KEY = ENV.secret(VAR)
SECRET_KEY_FALLBACKS = ENV.words("RUNGS_OLD_SECRET_KEYS")
ALLOWED_HOSTS = ENV.words("RUNGS_ALLOWED_HOSTS") or ([] if PRODUCTION else ["*"])
CSRF_TRUSTED_ORIGINS = ENV.words("RUNGS_CSRF_TRUSTED_ORIGINS")

#: Optional apps, in the order in which their declarations are used.
CAPABILITIES = (
    "reports", "operations", "laboratory", "webhooks", "notices", "imports", "sharing", "rating_lists", "competitions",
)  # fmt: skip
#: What the addresses of players' private links begin with; those of pages for one person, which are not shared; and
#: what is before the secret of a link in an address.
RUNGS_LINK_PATHS = ("/report/",)
RUNGS_PRIVATE_PATHS = ("/admin/", "/accounts/", "/invitations/", *RUNGS_LINK_PATHS)
RUNGS_SECRET_PATHS = ("/report/", "/invitations/", "/accounts/reset/", "/accounts/notices/")
#: Apps that this site leaves out.
LEFT_OUT = ENV.choices("RUNGS_LEAVE_OUT", CAPABILITIES)
INSTALLED_APPS = [
    "ratings.apps.RatingsConfig",
    "league.core.apps.LeagueConfig",
    *(f"league.apps.{name}" for name in CAPABILITIES if name not in LEFT_OUT),
    "league.web.organiser.apps.OrganiserConfig",
    "league.web.organiser.apps.SiteConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.sitemaps",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.socialaccount.providers.discord",
    "rest_framework",
    "drf_spectacular",
    "csp",
]
MIDDLEWARE = [
    "league.web.api.middleware.HealthMiddleware",
    "league.core.monitoring.requests.WatchMiddleware",
    "league.web.middleware.HeadersMiddleware",
    "league.web.middleware.MethodMiddleware",
    "league.web.middleware.LanguageMiddleware",
    "league.core.db.replicas.ReplicaMiddleware",
    "league.web.middleware.TroubleMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "league.web.api.middleware.ApiMiddleware",
    "league.web.middleware.PagesGZipMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.http.ConditionalGetMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "league.web.middleware.SignedInMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "league.web.middleware.LongAnswersMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
]
ROOT_URLCONF = "league.urls"
WSGI_APPLICATION = "league.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            # Templates need no {% load i18n %}.
            "builtins": ["django.templatetags.i18n"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

DATABASES: dict[str, Any] = {
    "default": dj_database_url.parse(
        ENV.address("DATABASE_URL", "DATABASE_PASSWORD", f"sqlite:///{quote(str(VAR / 'rungs.sqlite3'))}"),
        conn_max_age=60,
        conn_health_checks=True,
    )
}
CACHES = {
    # All processes share it: sign-in attempts and used codes.
    "default": {"BACKEND": "league.core.accounts.services.shared_cache.SharedCache"},
    # Each process has its own: answers for a state of a league.
    "answers": {"BACKEND": "league.core.db.bounded_cache.BoundedCache"},
}
#: Whether this is a web process.
RUNGS_SERVING = ENV.flag("RUNGS_SERVING")
#: Lock timeout in seconds: short in requests, longer in workers (see ``league.core.locking``).
RUNGS_LOCK_WAIT = 3.5 if RUNGS_SERVING else 15.0
#: PostgreSQL's statement timeout, in seconds.
RUNGS_STATEMENT_LIMIT = 30 if RUNGS_SERVING else 120


#: Whether the database is behind a transaction pooler such as PgBouncer, where no session state survives a transaction.
RUNGS_POOLER = ENV.flag("RUNGS_POOLER")


def configure_postgresql(database: Any, *settings: str, pooled: bool = RUNGS_POOLER) -> dict[str, Any]:
    """Return a database configuration with our engine, statement limits and further session settings.

    Behind a pooler, the limits are set on the database role instead, and statements are not prepared.
    """
    options = database.pop("OPTIONS", {})
    if pooled:
        return {
            **database,
            "ENGINE": "league.core.db.postgresql",
            "OPTIONS": {"connect_timeout": 2, "prepare_threshold": None, **options},
            "POOLED": True,
        }
    limits = (
        f"lock_timeout={int(1000 * RUNGS_LOCK_WAIT)}",
        f"statement_timeout={1000 * RUNGS_STATEMENT_LIMIT}",
        "idle_in_transaction_session_timeout=120000",
    )
    options["options"] = " ".join(f"-c {setting}" for setting in (*limits, *settings))
    return {
        **database,
        "ENGINE": "league.core.db.postgresql",
        # Detect a lost server within seconds. Options in the URL take precedence.
        "OPTIONS": {
            "connect_timeout": 2,
            "tcp_user_timeout": 10_000,
            "keepalives_idle": 10,
            "keepalives_interval": 3,
            "keepalives_count": 3,
            # For statements of core/db/statements.py; Django's own cursors ignore it.
            "prepare_threshold": 2,
            **options,
        },
    }


if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    create_data_folder(VAR)
    # NORMAL: committed data survives any crash except a loss of power (docs/operators/reliability.md).
    SYNCHRONOUS = ENV.choice("RUNGS_SQLITE_SYNCHRONOUS", ("NORMAL", "FULL"))
    # IMMEDIATE: otherwise a transaction that reads before it writes fails under load.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": RUNGS_LOCK_WAIT,
        "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={SYNCHRONOUS};",
    }
else:
    DATABASES["default"] = configure_postgresql(DATABASES["default"])
# Standbys that answer public reads (``league.core.db.replicas``).
for number, url in enumerate(
    ENV.replicas("DATABASE_REPLICA_URLS", "DATABASE_PASSWORD", DATABASES["default"]["ENGINE"]), start=1
):
    DATABASES[f"replica{number}"] = configure_postgresql(
        dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True), "default_transaction_read_only=on"
    )
RUNGS_REPLICAS = [alias for alias in DATABASES if alias != "default"]
#: Seconds for which a browser that wrote reads the primary: should exceed the replicas' lag.
RUNGS_REPLICA_LAG = ENV.whole("RUNGS_REPLICA_LAG", default=5, low=1, high=3600)
ATOMIC_REQUESTS = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
#: Languages for pages (``league.core.text.languages``) and, per league, for notices.
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("pl", "Polski"), ("ru", "Русский"), ("sr", "Српски")]
#: Languages whose texts no native-speaking club has reviewed; pages show a note.
RUNGS_DRAFTS = ("de", "pl", "ru", "sr")
LANGUAGE_COOKIE_NAME, LANGUAGE_COOKIE_AGE = "rungs_language", 400 * 86400
FORMAT_MODULE_PATH = ["league.core.text.formats"]
LOCALE_PATHS = [BASE_DIR / "league" / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
SERIALIZATION_FORMAT = "json"

#: Folder of collected, hashed and compressed static files; if unset, files are served from their sources.
STATIC_ROOT = ENV.text("RUNGS_STATIC") or None
#: Served from their sources, static files have an address that changes with their contents.
STATIC_VERSION = compute_digest(BASE_DIR / "league" / "static") if RUNGS_SERVING and not STATIC_ROOT else ""
STATIC_URL = f"static/{STATIC_VERSION}/" if STATIC_VERSION else "static/"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if STATIC_ROOT
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = not STATIC_ROOT
#: Browser cache time in seconds for static files without a hash in their name.
WHITENOISE_MAX_AGE = 60 if STATIC_ROOT else 0
if STATIC_VERSION:
    WHITENOISE_IMMUTABLE_FILE_TEST = "."

PASSWORD_HASHERS = ["league.core.accounts.hashing.PatientHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL, LOGIN_REDIRECT_URL = "admin:login", "admin:index"
#: Lifetime of a password reset link, in seconds.
PASSWORD_RESET_TIMEOUT = 24 * 60 * 60
#: If empty, no email is sent.
EMAIL_HOST = ENV.mail_host()
EMAIL_PORT = ENV.whole("EMAIL_PORT", default=25, low=1, high=65_535)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = ENV.text("EMAIL_HOST_USER"), ENV.text("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS, EMAIL_USE_SSL = ENV.flag("EMAIL_USE_TLS"), ENV.flag("EMAIL_USE_SSL")
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = ENV.text("DEFAULT_FROM_EMAIL") or "rungs@localhost"
CSRF_FAILURE_VIEW = "league.web.sign_in.csrf_failure.csrf_failure"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
# With this prefix, browsers accept the cookie only from this host and only over HTTPS.
_HOST = "__Host-" if PRODUCTION else ""
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{_HOST}sessionid", f"{_HOST}csrftoken"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_ENGINE = "league.web.sign_in.sessions"
#: Lifetime of a session in seconds, maximum idle time, and how long a password entry counts for sensitive actions.
SESSION_COOKIE_AGE = 86400 * ENV.whole("RUNGS_SESSION_DAYS", default=30, low=1, high=400)
RUNGS_SESSION_IDLE = 3600 * ENV.whole("RUNGS_SESSION_IDLE_HOURS", default=192, low=1, high=9600)
ACCOUNT_REAUTHENTICATION_TIMEOUT = 60 * ENV.whole("RUNGS_PROOF_MINUTES", default=30, low=1, high=1440)
#: Whether site staff must use two-factor sign-in.
RUNGS_STAFF_SECOND_FACTOR = ENV.flag("RUNGS_STAFF_SECOND_FACTOR", default=PRODUCTION)
# Sign-in uses django-allauth (ADR 23). Accounts are by invitation: its registration pages have no URL.
ACCOUNT_ADAPTER = "league.web.sign_in.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_UNIQUE_EMAIL = False
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_SESSION_REMEMBER = True
# Signed-in users without a role see the sign-in page.
ACCOUNT_AUTHENTICATED_LOGIN_REDIRECTS = False
ACCOUNT_REAUTHENTICATION_METHODS = ("password",)
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "league.core.accounts.services.passwords.EitherToken"  # noqa: S105 -- a class
ACCOUNT_FORMS = {
    "login": "league.web.sign_in.account_forms.LoginForm",
    "reauthenticate": "league.web.sign_in.account_forms.ReauthenticateForm",
    "change_password": "league.web.sign_in.account_forms.ChangePasswordForm",
    "reset_password": "league.web.sign_in.account_forms.ForgottenForm",
    "reset_password_from_key": "league.web.sign_in.account_forms.NewPasswordForm",
}
# Limits for wrong passwords and codes. "key" is a username and network for passwords, a user for codes. A correct code
# clears "login_failed", but not "network_failed".
ACCOUNT_RATE_LIMITS = {
    "login": None,
    "login_failed": "50/h/key",
    "network_failed": "200/h/ip",
    "reauthenticate": None,
    "change_password": None,
    "reset_password": "20/h/ip,3/h/key",
    # Valid links are never rate-limited.
    "reset_password_from_key": None,
    "wrong_link": "50/h/ip",
}
MFA_ADAPTER = "league.web.sign_in.adapters.SecondFactorAdapter"
MFA_FORMS = {
    "authenticate": "league.web.sign_in.account_forms.CodeForm",
    "activate_totp": "league.web.sign_in.account_forms.ActivateForm",
}
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_RECOVERY_CODE_DIGITS = 12
MFA_TOTP_ISSUER = "Rungs"
# Phones' clocks differ: the previous and the next code are also accepted.
MFA_TOTP_TOLERANCE = 1
SOCIALACCOUNT_ADAPTER = "league.web.sign_in.adapters.SocialAdapter"
SOCIALACCOUNT_PROVIDERS = ENV.identity_providers()
SOCIALACCOUNT_OPENID_CONNECT_URL_PREFIX = ""
SOCIALACCOUNT_REAUTHENTICATION_REQUIRED = True
# HTTP is redirected to HTTPS, except health checks, which are answered earlier.
SECURE_SSL_REDIRECT = PRODUCTION
# API requests by plain HTTP are refused (``ApiMiddleware``): after a redirect, clients would go on exposing tokens.
SECURE_REDIRECT_EXEMPT = ["^api/"]
SECURE_HSTS_SECONDS = ENV.whole("RUNGS_HSTS_SECONDS", default=31_536_000 if PRODUCTION else 0, low=0, high=63_072_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = ENV.flag("RUNGS_HSTS_SUBDOMAINS")
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PRODUCTION else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        # Chrome also applies this to redirects after a form, here to the identity provider.
        "form-action": [SELF, *ENV.identity_origins()],
        "frame-ancestors": [NONE],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
FILE_UPLOAD_HANDLERS = [
    "league.web.middleware.QuotaHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "league.web.api.core.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["league.web.api.core.inputs.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    # We use the parameter ``format`` ourselves.
    "URL_FORMAT_OVERRIDE": None,
    "EXCEPTION_HANDLER": "league.web.api.core.responses.handle",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Rungs",
    "DESCRIPTION": "Leagues, games, ratings and boards. Errors are problem documents (RFC 9457).",
    "VERSION": "1.0.0",
    "CONTACT": {"name": "The maintainers of Rungs"},
    "LICENSE": {"name": "MIT License", "identifier": "MIT"},
    "SERVERS": [{"url": "/", "description": "The site that serves this document"}],
    "TAGS": [
        {"name": "systems", "description": "Rating systems: how games move ratings."},
        {"name": "ladder-methods", "description": "Ladder methods: how ladders rank the games of a period."},
        {"name": "leagues", "description": "Leagues with their rules, games, boards, ladders, log and webhooks."},
        {"name": "players", "description": "Players of the site, and merges of two players who are one person."},
        {"name": "pairing-formats", "description": "Pairing formats: who meets whom in competitions."},
        {"name": "tie-breaks", "description": "Tie-breaks: what separates entries with equal points."},
        {"name": "webhooks", "description": "Events sent to webhooks."},
        {"name": "tokens", "description": "API tokens of the signed-in user."},
        {"name": "jobs", "description": "Long work done by workers."},
    ],
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "league.web.api.openapi.document.complete_operations",
    ],
    "ENUM_NAME_OVERRIDES": {
        "GameKind": "league.models.facts.Game.Kind",
        "GameStatus": ["rated", "pending", "unrated", "void"],
        "Cadence": "league.models.ladders.LadderRule.Cadence",
        "DecisionKind": "league.models.record.Decision.Kind",
        "PeriodStatus": ["open", "closed"],
        "JobShapeStateEnum": "league.models.record.Job.State",
        "ContextStart": "league.models.contexts.Context.Start",
        "StartEnum": ["replayed", "anew"],
        "ContextStatus": ["current", "pending"],
        "FieldOf": "league.models.fields.DeclaredField.Of",
        "FieldType": "league.models.fields.DeclaredField.Type",
        "FieldVisibility": "league.models.fields.DeclaredField.Visible",
        "EmblemField": "league.models.emblem_names.DIVISION_CHOICES",
        "EmblemSymbol": "league.models.emblem_names.CHARGE_CHOICES",
        **(
            {}
            if "webhooks" in LEFT_OUT
            else {
                "WebhookState": "league.apps.webhooks.models.Webhook.State",
                "WebhookFormat": "league.apps.webhooks.models.Webhook.Format",
            }
        ),
        **(
            {}
            if "competitions" in LEFT_OUT
            else {
                "CompetitionStatus": "league.apps.competitions.models.Competition.Status",
                "EntryStatus": "league.apps.competitions.models.Entry.Status",
                "SeasonStatus": "league.apps.competitions.models.Season.Status",
                "SeasonEntryStatus": "league.apps.competitions.models.SeasonEntry.Status",
                "FixtureKind": "league.apps.competitions.models.Fixture.Kind",
                "FixtureStatus": ["planned", "played", "forfeited", "bye", "cancelled"],
                "RoundStatus": ["made", "published"],
                "CompetitionStatusChange": ["draft", "open"],
                "EntryStatusChange": ["entered", "withdrawn"],
                "FixtureStatusChange": ["planned", "cancelled"],
                "ForfeitReason": "league.apps.competitions.models.Fixture.Reason",
                "ByeKind": ["full_bye", "half_bye", "zero_bye"],
            }
        ),
    },
}

# Page sizes, limits and times that an operator may want to change.
#: Rows per page.
RUNGS_PAGE_SIZES = {
    "leagues": 25,  # leagues on the front page
    "board": 100,  # players on a board or a ladder
    "standings": 50,  # entries in the standings of a competition
    "pairings": 100,  # pairings of a round
    "games": 20,  # games on the public list of games
    "fixtures": 50,  # fixtures of a competition
    "organiser_games": 18,  # games on the organiser's list
    "organiser_players": 50,  # players on the organiser's list
    "organiser_log": 40,  # log entries on the organiser's list
    "organiser_adjustments": 50,  # adjustments on the organiser's list
    "organiser_periods": 36,  # periods of a ladder on the organiser's list: three years of months
    "status": 200,  # leagues on the status page
    "experiments": 50,  # experiments of a league
    "feed": 30,  # games in the Atom feed
    "api": 100,  # items of an API list without ?limit=
    "api_games": 50,  # games in the API without ?limit=
    "api_max": 1000,  # maximum of ?limit=
}
#: Largest numbers and sizes that are accepted.
RUNGS_LIMITS = {
    "batch_games": 1000,  # games in one API batch
    "import_file_bytes": 50_000_000,  # a file of CSV, or a workbook
    "import_stream_bytes": 500_000_000,  # an NDJSON file, read as a stream
    "paste_bytes": 2_000_000,  # a pasted text or file
    "picture_bytes": 2_000_000,  # a league's own picture
    "report_links": 500,  # active report links per league
    "invitations": 50,  # open invitations per league
    "webhooks": 10,  # webhooks per league
    "competitions": 1000,  # competitions per league
    "experiments": 3,  # experiments per league that wait or run at once
}
#: Days after which something is deleted, or no longer accepted.
RUNGS_DAYS = {
    "jobs": 30,  # ended jobs are deleted
    "experiments": 400,  # reports of experiments are deleted
    "deliveries": 30,  # deliveries of webhooks are deleted
    "notices": 30,  # the text of notices is deleted
    "invitations": 7,  # an invitation expires
    "report_age": 14,  # players cannot report older games
}

#: If more than this many games follow it, a late game, correction or void is replayed by Celery instead.
RUNGS_INLINE_GAMES = ENV.whole("RUNGS_INLINE_GAMES", default=5000, low=0, high=10_000_000)
#: Folder of stored exports, shared by workers and web processes.
RUNGS_EXPORT_DIR = Path(ENV.text("RUNGS_EXPORT_DIR") or VAR / "exports")
#: Folder of the nightly backups ("": none), and the number of backups kept (0: all).
RUNGS_BACKUP_DIR = ENV.text("RUNGS_BACKUP_DIR")
RUNGS_BACKUP_KEEP = ENV.whole("RUNGS_BACKUP_KEEP", default=14, low=0, high=100_000)
#: The site's address for links in notices, such as https://club.example; "" if unknown.
RUNGS_ORIGIN = ENV.origin()
RUNGS_WEBHOOKS_PRIVATE = ENV.flag("RUNGS_WEBHOOKS_PRIVATE")
#: Key that signs log heads: PEM or the path of a PEM file. If unset, a key is generated and stored in VAR.
RUNGS_HEAD_KEY = ENV.text("RUNGS_HEAD_KEY")
RUNGS_OLD_HEAD_KEYS = ENV.words("RUNGS_OLD_HEAD_KEYS")
RUNGS_WEB_WORKERS = ENV.whole("RUNGS_WEB_WORKERS", default=2, low=1, high=64)
#: Requests that a web process answers at once; each uses a database connection.
RUNGS_WEB_THREADS = ENV.whole("RUNGS_WEB_THREADS", default=12, low=1, high=256)
#: API requests per minute and client; 0: no limit.
RUNGS_READS_A_MINUTE = ENV.whole("RUNGS_READS_A_MINUTE", default=300_000, low=0, high=1_000_000_000)
RUNGS_WRITES_A_MINUTE = ENV.whole("RUNGS_WRITES_A_MINUTE", default=60_000, low=0, high=1_000_000_000)
#: Limits for expensive requests without a token or session: processor seconds per minute and network, and requests that
#: a web process answers at once; 0: no limit.
RUNGS_WORK_A_MINUTE = ENV.whole("RUNGS_WORK_A_MINUTE", default=20, low=0, high=1_000_000)
RUNGS_LONG_ANSWERS = ENV.whole("RUNGS_LONG_ANSWERS", default=2, low=0, high=256)
#: Number of proxies that add to X-Forwarded-For; 0: the header is ignored.
RUNGS_PROXIES = ENV.whole("RUNGS_PROXIES", default=0, low=0, high=10)
#: The module that configures Celery.
CELERY_MODULE = "league.celery"
#: Empty: the embedded broker, a folder below RUNGS_VAR.
CELERY_BROKER_URL = ENV.address("CELERY_BROKER_URL", "CELERY_BROKER_PASSWORD")
#: Redis or Valkey for shared rate limits; empty: each process counts for itself.
RUNGS_LIMITS_URL = ENV.limits_url(CELERY_BROKER_URL)

#: Log format: lines for people, or JSON objects, with one for each request and task.
RUNGS_LOG = ENV.choice("RUNGS_LOG", log_config.KINDS)
#: Statements that take this many milliseconds are logged, without values; 0: none.
RUNGS_SLOW_QUERY_MS = ENV.whole("RUNGS_SLOW_QUERY_MS", default=500, low=0, high=3_600_000)
#: Token for /metrics, and ports that serve it without a token: for web processes, and for a worker.
RUNGS_METRICS_TOKEN = ENV.metrics_token()
RUNGS_METRICS_PORT = ENV.listening("RUNGS_METRICS_PORT")
RUNGS_WORKER_METRICS_PORT = ENV.listening("RUNGS_WORKER_METRICS_PORT")
RUNGS_METRICS = bool(RUNGS_METRICS_TOKEN or RUNGS_METRICS_PORT or RUNGS_WORKER_METRICS_PORT)
#: Folder for Prometheus' multiprocess files, with a subfolder for each part of the site.
RUNGS_METRICS_DIR = Path(ENV.text("PROMETHEUS_MULTIPROC_DIR") or VAR / "metrics")
#: External error reporting and tracing; empty: off. Their packages read further variables.
SENTRY_DSN = ENV.text("SENTRY_DSN")
RUNGS_TRACES = bool(ENV.text("OTEL_EXPORTER_OTLP_ENDPOINT") or ENV.text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"))
LOGGING = log_config.build_logging_config(RUNGS_LOG)
