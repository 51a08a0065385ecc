// Connections that always end by a reset (RST), never by an orderly close. After a close the kernel goes on sending what the
// other side has not acknowledged, for minutes where the network is cut, and a payment order that was given up would still
// arrive. After a reset the kernel drops it.
import { Socket } from 'node:net';
import { buildConnector, errors } from 'undici';

/** @param timeoutMs of the TCP connection, and again of the handshake of TLS */
export function createResettingConnect(timeoutMs: number): buildConnector.connector {
  const secure = buildConnector({ timeout: timeoutMs });
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
      // TLS reports the errors of the socket beneath it. That one must have a listener all the same.
      socket.on('error', () => undefined);
      secure({ ...to, httpSocket: socket }, callback);
    });
    socket.connect({ host: to.hostname, port: Number(to.port) || (isSecure ? 443 : 80) });
  };
}

/** As undici's own connections have it. */
const KEEP_ALIVE_AFTER_MS = 60_000;

/**
 * Overrides `destroy`, by which undici and TLS end a connection in every case: an abort, a timeout, a broken answer, an idle
 * connection, a stop. `resetAndDestroy` alone would not do: it throws on a TLS socket and waits on one that is connecting.
 */
class ResettingSocket extends Socket {
  private isResetting = false;
  private reason: Error | undefined;

  constructor() {
    // A FIN of the other side must not make Node shut down our side: the system refuses to reset a socket that is shutting down.
    super({ allowHalfOpen: true });
  }

  override destroy(error?: Error): this {
    // While it is connecting nothing has been sent: closing ends the attempt.
    if (this.connecting || this.destroyed) return super.destroy(error);
    // `resetAndDestroy` calls this method again, without the error.
    if (this.isResetting) return super.destroy(this.reason);
    this.isResetting = true;
    this.reason = error;
    return this.resetAndDestroy();
  }
}
