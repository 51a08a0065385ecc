// The HTTP client for payout providers. Operators configure the address, so any address is allowed,
// also one from a hosts file or search domain.
import { Socket } from 'node:net';
import { buildConnector, errors } from 'undici';
import { PAYOUT_ATTEMPT_TIMEOUT_MS, PAYOUT_SLOTS, PAYOUTS_IN_TASKS_MAX } from '../domain/limits';
import { createOutbound, VERIFIED, type Outbound } from './outbound';

/** For one corridor: its calls wait for no connection that another corridor uses. */
export function createProviderOutbound(): Outbound {
  return createOutbound({
    connect: createResettingConnect(PAYOUT_ATTEMPT_TIMEOUT_MS),
    connectionsPerOrigin: PAYOUTS_IN_TASKS_MAX + PAYOUT_SLOTS,
  });
}

/**
 * Connections that always end by a reset (RST), never by an orderly close. After a close the kernel
 * keeps sending unacknowledged bytes, for minutes if the network is cut, so a payout order that
 * timed out would still arrive. After a reset the kernel drops these bytes.
 * @param timeoutMs for the TCP connection, and again for the TLS handshake
 */
export function createResettingConnect(timeoutMs: number): buildConnector.connector {
  const secure = buildConnector({ ...VERIFIED, timeout: timeoutMs });
  return (to, callback) => {
    const isSecure = to.protocol === 'https:';
    const socket = new ResettingSocket();
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_AFTER_MS);
    socket.setTimeout(timeoutMs, () => {
      socket.destroy(new errors.ConnectTimeoutError('no connection in time'));
    });
    const fail = (error: Error) => {
      callback(error, null);
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      if (!isSecure) {
        callback(null, socket);
        return;
      }
      // TLS reports the errors of this socket, but a socket without a listener would throw them.
      socket.on('error', () => undefined);
      secure({ ...to, httpSocket: socket }, callback);
    });
    socket.connect({ host: to.hostname, port: Number(to.port) || (isSecure ? 443 : 80) });
  };
}

/** The value that undici uses. */
const KEEP_ALIVE_AFTER_MS = 60_000;

/**
 * Overrides `destroy`, by which undici and TLS end every connection: on an abort, a timeout, a
 * broken response, when idle, on shutdown. Calling `resetAndDestroy` from outside would not work:
 * it throws on a TLS socket and waits on a socket that is connecting.
 */
class ResettingSocket extends Socket {
  private isResetting = false;
  private reason: Error | undefined;

  constructor() {
    // A FIN from the other side must not make Node shut down our side: the system does not reset a
    // socket that is shutting down.
    super({ allowHalfOpen: true });
  }

  override destroy(error?: Error): this {
    // While connecting, nothing has been sent, so closing is enough.
    if (this.connecting || this.destroyed) return super.destroy(error);
    // `resetAndDestroy` calls this method again, without the error.
    if (this.isResetting) return super.destroy(this.reason);
    this.isResetting = true;
    this.reason = error;
    return this.resetAndDestroy();
  }
}
