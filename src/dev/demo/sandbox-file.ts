// `.local/sandbox.json`: how any other program reaches the running system (architecture, section
// 7).
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writePrivateJson } from '../private-files';

export const credentialsSchema = z.object({
  partner_id: z.string(),
  key_id: z.string(),
  signing_secret: z.string(),
  issuer: z.string(),
  jwks_url: z.string(),
  webhook_secret: z.string(),
});

export const sandboxSchema = z.object({
  base_url: z.string(),
  checkout_url: z.string(),
  temporal_address: z.string(),
  temporal_ui_url: z.string(),
  database_url: z.string(),
  provider_url: z.string(),
  metrics_url: z.string(),
  processes: z.array(z.object({ name: z.string(), pid: z.number() })),
  partners: z.array(
    credentialsSchema.extend({
      session_kid: z.string(),
      session_private_key_pem: z.string(),
      webhook_inbox_url: z.string(),
    }),
  ),
});

export type Sandbox = z.infer<typeof sandboxSchema>;
export type SandboxPartner = Sandbox['partners'][number];

/** Undefined while no system is up in this folder. */
export function readSandboxFile(directory: string): Sandbox | undefined {
  return sandboxSchema.safeParse(readJsonFile(sandboxFile(directory))).data;
}

/** Writes only the members of the schema, on which other programs rely. */
export function writeSandboxFile(directory: string, sandbox: Sandbox): void {
  writePrivateJson(sandboxFile(directory), sandboxSchema.parse(sandbox));
}

/** Called before the processes that the file names are stopped. */
export function removeSandboxFile(directory: string): void {
  rmSync(sandboxFile(directory), { force: true });
}

function sandboxFile(directory: string): string {
  return join(directory, 'sandbox.json');
}
