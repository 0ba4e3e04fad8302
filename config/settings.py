"""Settings of the app; with DEBUG unset the production rules apply."""

from __future__ import annotations

from datetime import timedelta

from config import environment
from config.environment import BASE_DIR

ENVIRONMENT = environment.read()

SECRET_KEY = ENVIRONMENT.SECRET_KEY
DEBUG = ENVIRONMENT.DEBUG
LOCAL_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
ALLOWED_HOSTS = ENVIRONMENT.ALLOWED_HOSTS or LOCAL_HOSTS
CSRF_TRUSTED_ORIGINS = ENVIRONMENT.CSRF_TRUSTED_ORIGINS
JUDGE_ALLOWED_HOSTS = ENVIRONMENT.JUDGE_ALLOWED_HOSTS
JUDGE_ENDPOINTS = ENVIRONMENT.judge_endpoints
# Of one provider, by all workers together.
JUDGE_CONCURRENCY = ENVIRONMENT.JUDGE_CONCURRENCY
JUDGE_REQUESTS_PER_MINUTE = ENVIRONMENT.JUDGE_REQUESTS_PER_MINUTE
TRUSTED_PROXIES = ENVIRONMENT.TRUSTED_PROXIES

INSTALLED_APPS = [
    "whitenoise.runserver_nostatic",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_htmx",
    "labeling",
    "calibration",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "labeling.web.responses.PrivateMiddleware",
    "labeling.web.responses.ErrorMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ],
        },
    }
]

DATABASES = {"default": environment.database(ENVIRONMENT.DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "sets"
LOGOUT_REDIRECT_URL = "sign-in"

AXES_HANDLER = "labeling.web.throttling.Handler"
AXES_CLIENT_IP_CALLABLE = "labeling.web.throttling.address"
AXES_LOCKOUT_CALLABLE = "labeling.web.throttling.wait"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
# Who goes on trying does not make it longer.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
# It would keep who signed in when and from where, and the paths of invitations, for ever.
AXES_DISABLE_ACCESS_LOG = True
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "csrfmiddlewaretoken", "next"]

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Served from where they lie: there is no copy of them to keep in step.
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False

# A team that serves over TLS names its https origins; over plain HTTP on this
# machine a secure cookie would never come back, and nobody could sign in.
_TLS = any(origin.startswith("https://") for origin in CSRF_TRUSTED_ORIGINS)
_LOCAL_ONLY = set(ALLOWED_HOSTS) <= set(LOCAL_HOSTS)
SECURE_COOKIES = not DEBUG and (_TLS or not _LOCAL_ONLY)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_COOKIES
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_HSTS_SECONDS = 31_536_000 if SECURE_COOKIES else 0
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
FILE_UPLOAD_HANDLERS = [
    "labeling.web.uploads.Bounded",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

CELERY_BROKER_URL = ENVIRONMENT.broker_url
# Of its own, so that another application's workers on the same broker do not take from it.
CELERY_TASK_DEFAULT_QUEUE = "assize"
CELERY_TASK_IGNORE_RESULT = True
# JSON alone: a pickle on the queue would be code that someone else wrote.
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A doorbell that cannot be rung must not hold up a request: the rows are
# planned, and the reconciler rings again.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 600,
    "max_retries": 1,
    "interval_start": 0.1,
    "interval_step": 0.1,
    "interval_max": 0.2,
}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

JUDGMENT_LEASE_SECONDS = 60
# Permits to call a provider that nobody renewed for so long are free for others.
PERMIT_LEASE_SECONDS = 10
RECONCILE_SECONDS = 10

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"without_tokens": {"()": "config.logs.WithoutTokens"}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "filters": ["without_tokens"]},
    },
    "root": {"handlers": ["console"], "level": "INFO" if DEBUG else "WARNING"},
    "loggers": {
        # These name the path of a request, and have handlers of Django's own beside the root's.
        "django.request": {"filters": ["without_tokens"]},
        "django.security.csrf": {"filters": ["without_tokens"]},
        "django.server": {"handlers": ["console"], "level": "INFO", "propagate": False},
        # Says on INFO who signs in by which path.
        "axes": {"level": "WARNING"},
    },
}
