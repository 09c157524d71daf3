"""Celery tasks of notices."""

from celery import shared_task

from league.apps.notices.services import enqueue, mails

write_notices_task = shared_task(name="league.notices")(enqueue.write_notices)
enqueue_notices_task = shared_task(name="league.news")(enqueue.enqueue_notices)
send_mail_task = shared_task(name="league.notice_mail")(mails.send_mail)
