// Checks whether a Temporal frontend serves, by gRPC's standard health check.
import { Client, credentials } from '@grpc/grpc-js';

const SERVICE = Buffer.from('temporal.api.workflowservice.v1.WorkflowService');
/** HealthCheckRequest { service }: field 1, as text. */
const REQUEST = Buffer.concat([Buffer.from([0x0a, SERVICE.length]), SERVICE]);
/** HealthCheckResponse { status: SERVING }: field 1, varint 1. */
const SERVING = Buffer.from([0x08, 0x01]);
const ANSWER_TIMEOUT_MS = 1_000;

export function isServing(address: string): Promise<boolean> {
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.enable_http_proxy': 0,
  });
  const asIs = (bytes: Buffer) => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      ...([asIs, asIs, REQUEST, { deadline: Date.now() + ANSWER_TIMEOUT_MS }] as const),
      (error, answer) => {
        client.close();
        resolve(error === null && answer?.equals(SERVING) === true);
      },
    );
  });
}
