// The running sandbox, as `npm start` describes it (architecture, section 7).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface SandboxPartner {
  readonly partner_id: string;
  readonly key_id: string;
  readonly signing_secret: string;
  readonly issuer: string;
  readonly jwks_url: string;
  readonly session_kid: string;
  readonly session_private_key_pem: string;
  readonly webhook_secret: string;
  readonly webhook_inbox_url: string;
}

export interface Sandbox {
  readonly base_url: string;
  readonly checkout_url: string;
  readonly temporal_address: string;
  readonly temporal_ui_url: string;
  readonly database_url: string;
  readonly provider_url: string;
  readonly metrics_url: string;
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
  readonly partners: readonly [SandboxPartner, SandboxPartner];
}

export function readSandbox(folder = process.env['LOCAL_DIR'] ?? '.local'): Sandbox {
  return JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8')) as Sandbox;
}
