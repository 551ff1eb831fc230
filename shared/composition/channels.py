"""The ways out of the app: mail, SMS, callbacks, and the queues behind the task queues."""

from functools import cached_property
from typing import TYPE_CHECKING

from shared import log
from shared.composition.stores import Stores
from shared.domain.names import CONNECTION
from shared.domain.notice import CHANNELS, Channel
from shared.services.hand_on import HandOn
from shared.version import VERSION

if TYPE_CHECKING:
    from shared.channels.callback import CallbackChannel
    from shared.channels.senders import Senders


class Channels(Stores):
    @cached_property
    def _senders(self) -> "Senders":
        from shared.channels.senders import make_senders

        settings = self.settings
        return make_senders(
            mail_from=settings.mail_from,
            smtp_url=settings.smtp_url,
            acs_endpoint=settings.acs_endpoint,
            outbox=settings.outbox,
            sms_from=settings.sms_from,
            client_id=settings.account(CONNECTION).client_id,
            environment_proxy=settings.use_environment_proxy,
        )

    @cached_property
    def _callbacks(self) -> "CallbackChannel | None":
        from shared.channels.callback import CallbackChannel

        settings = self.settings
        keys = settings.usable_callback_keys()
        if not keys:
            return None
        return CallbackChannel(
            keys=keys,
            allowed=settings.callbacks_allowed,
            # Within that of a delivery, which would count as an outage, and not as a try.
            seconds=min(settings.callback_seconds, settings.step_seconds * 0.75),
            agent=f"Fix-It/{VERSION}",
        )

    @cached_property
    def _channels(self) -> frozenset[Channel]:
        """The channels that are on; the log says at the first use which are off, and what would turn them on."""
        off = [*self._senders.off.values()]
        on = {"reply", *self._senders.on, *self._senders.wrong}  # while settings are wrong, what is to be sent waits
        if self.settings.callback_keys != ():
            on.add("callback")
        else:
            off.append("Callbacks are off: FIXIT_CALLBACK_KEYS is not set.")
        for sentence in off:
            log.info("a channel is off", because=sentence)
        return frozenset(channel for channel in CHANNELS if channel in on)

    @cached_property
    def _hand_on(self) -> HandOn:
        return HandOn(queues=self._queues, pointers=self._pointers, on=self._channels)
