// A server that speaks gRPC and says what Temporal says at moments into which no real one can be brought.
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

export interface GrpcStatus {
  readonly code: number;
  readonly message: string;
}

const UNIMPLEMENTED: GrpcStatus = { code: 12, message: 'not here' };

/** Answers every update of a run with one status, and keeps how long each would be waited for. */
export async function answerUpdates(status: GrpcStatus) {
  const timeouts: unknown[] = [];
  const server = createServer();
  server.on('stream', (stream, { ':path': path, 'grpc-timeout': timeout }) => {
    const isUpdate = path?.endsWith('/UpdateWorkflowExecution') === true;
    if (isUpdate) timeouts.push(timeout);
    const { code, message } = isUpdate ? status : UNIMPLEMENTED;
    const headers = {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(code),
      'grpc-message': encodeURIComponent(message),
    };
    stream.respond(headers, { endStream: true });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${String(port)}`,
    timeouts,
    close: () => server.close(),
  };
}
