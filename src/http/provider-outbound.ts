// The HTTP client for payout providers. Operators configure the address, so any address is allowed,
// also one from a hosts file or search domain.
import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { Socket, type TcpSocketConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { PROVIDER_CONNECTIONS } from '../domain/payouts/limits';
import { createOutbound, VERIFIED, type Outbound } from './outbound';

/** For one corridor: its calls wait for no connection that another corridor uses. */
export function createProviderOutbound(): Outbound {
  return createOutbound({
    connectionsPerOrigin: PROVIDER_CONNECTIONS,
    agentsOf: (options) => ({
      plain: new ResettingAgent(options),
      secure: new ResettingSecureAgent({ ...options, ...VERIFIED }),
    }),
  });
}

/**
 * Connections that always end by a reset (RST), never by an orderly close. After a close the kernel
 * keeps sending unacknowledged bytes, for minutes if the network is cut, so a payout order that
 * timed out would still arrive. After a reset the kernel drops these bytes.
 */
class ResettingAgent extends Agent {
  override createConnection(options: object): Duplex {
    return neverClosing(open(options));
  }
}

class ResettingSecureAgent extends SecureAgent {
  override createConnection(options: object): Duplex {
    const secure = super.createConnection({ ...options, socket: open(options) } as object);
    return neverClosing(secure as Socket);
  }
}

function open(options: object): Socket {
  return new ResettingSocket().connect(options as TcpSocketConnectOpts);
}

/**
 * Node's client closes a connection when the other side closes it, or announces to. Between two
 * calls it would leave one open that the other side has closed, and write the next order into it. A
 * turn later the client has read an answer that ends with the connection.
 */
function neverClosing(socket: Socket): Socket {
  socket.once('end', () => setImmediate(() => socket.destroy()));
  return Object.assign(socket, { end: () => socket.destroy() });
}

/**
 * Overrides `destroy`, by which HTTP and TLS end every other connection: on an abort, a timeout, a
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
