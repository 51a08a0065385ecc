// A gRPC server with answers of Temporal that a real server gives only in rare states.
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

export interface GrpcStatus {
  readonly code: number;
  readonly message: string;
}

const UNIMPLEMENTED: GrpcStatus = { code: 12, message: 'unimplemented' };

/** Answers every workflow update with this status, and records the timeout of each. */
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
