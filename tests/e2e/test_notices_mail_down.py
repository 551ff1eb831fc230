"""The mail server takes nothing: the task and everybody else's notices go on, and the mail waits on its queue."""

from shared.domain.names import NOTICE_QUEUE
from tests.faults.mailing import LATER, RunningMailServer
from tests.support.eventually import eventually
from tests.support.telling import ANSWERS, telling

# Tries after 0, 1, 2, 6, 21 … seconds: the end of the outage is well before the last of ten.
WAITS = {"FIXIT_CALLBACK_SCALE": "0.002"}


def test_mail_waits_for_its_server_and_holds_up_nothing() -> None:
    with RunningMailServer() as mail, telling(FIXIT_SMTP_URL=mail.url, **WAITS) as told:
        mail.server.behave(*[LATER] * 20)
        told.knows("ann", phone="+4930123456")
        task = told.fixit.submit(
            owner="ann", contact="bob@example.com", callbackUrl=told.receiver.url(), replyTo=ANSWERS
        )
        assert told.fixit.settled(task["receipt"])["state"] == "succeeded"
        (callback,) = told.wait_callbacks(task["id"], 1)
        assert callback.headers["webhook-id"]
        assert len(eventually(told.answers, what="the answer on the queue")) == 1
        assert len(eventually(told.texts, what="the SMS")) == 1
        mail.server.wait_seen(1)
        (waiting,) = told.notices(task["id"], kind="settled", channel="mail")
        assert waiting["state"] in ("waiting", "claimed")
        eventually(lambda: told.fixit.stores.waiting(NOTICE_QUEUE) == 1, what="the mail alone on the queue")
        mail.server.behave()
        told.fixit.idle(60)
        (sent,) = told.notices(task["id"], kind="settled", channel="mail")
        assert (sent["state"], list(mail.server.counted.values())) == ("sent", [1])
        assert told.fixit.stores.letters() == []
