"""Celery tasks of notices."""

from celery import shared_task

from league.apps.notices.services import enqueue, mails

tell = shared_task(name="league.notices")(enqueue.write_notices)
find_news = shared_task(name="league.news")(enqueue.enqueue_notices)
mail_notice = shared_task(name="league.notice_mail")(mails.send)
