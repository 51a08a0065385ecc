// Asks a Temporal frontend whether it serves, by gRPC's standard health check over plain HTTP/2. The client library
// would do, but loading it takes longer than Temporal takes to start.
import { connect, type ClientHttp2Session } from 'node:http2';

const SERVICE = 'temporal.api.workflowservice.v1.WorkflowService';
const ANSWER_WITHIN_MS = 1_000;
/** HealthCheckResponse { status: SERVING }: field 1, varint 1. */
const SERVING = Buffer.from([0x08, 0x01]);

export async function isServing(address: string): Promise<boolean> {
  const session = connect(`http://${address}`);
  session.setTimeout(ANSWER_WITHIN_MS, () => {
    session.destroy();
  });
  try {
    const answer = await ask(session);
    return answer.subarray(FRAME_HEADER_BYTES).equals(SERVING);
  } catch {
    return false;
  } finally {
    session.destroy();
  }
}

const FRAME_HEADER_BYTES = 5;

function ask(session: ClientHttp2Session): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    session.once('error', reject);
    session.once('close', () => {
      reject(new Error('the connection was closed'));
    });
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('error', reject);
    stream.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
    stream.end(request());
  });
}

/** One gRPC frame: not compressed, its length, HealthCheckRequest { service }. */
function request(): Buffer {
  const service = Buffer.from(SERVICE);
  const message = Buffer.concat([Buffer.from([0x0a, service.length]), service]);
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}
