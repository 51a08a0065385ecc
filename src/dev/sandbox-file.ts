// `.local/sandbox.json`: how any other program reaches the running system (architecture, section 7).
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writePrivateJson } from './private-files';

const partnerSchema = z.object({
  partner_id: z.string(),
  key_id: z.string(),
  signing_secret: z.string(),
  issuer: z.string(),
  jwks_url: z.string(),
  session_kid: z.string(),
  session_private_key_pem: z.string(),
  webhook_secret: z.string(),
  webhook_inbox_url: z.string(),
});

const sandboxSchema = z.object({
  base_url: z.string(),
  checkout_url: z.string(),
  temporal_address: z.string(),
  temporal_ui_url: z.string(),
  database_url: z.string(),
  provider_url: z.string(),
  metrics_url: z.string(),
  processes: z.array(z.object({ name: z.string(), pid: z.number() })),
  partners: z.array(partnerSchema),
});

export type SandboxPartner = z.infer<typeof partnerSchema>;
export type Sandbox = z.infer<typeof sandboxSchema>;

/** Undefined while no system is up in this folder. */
export function readSandboxFile(directory: string): Sandbox | undefined {
  const parsed = sandboxSchema.safeParse(readJsonFile(sandboxFile(directory)));
  return parsed.success ? parsed.data : undefined;
}

export function writeSandboxFile(directory: string, sandbox: Sandbox): void {
  writePrivateJson(sandboxFile(directory), sandbox);
}

/** What it names is about to stop. */
export function removeSandboxFile(directory: string): void {
  if (existsSync(sandboxFile(directory))) rmSync(sandboxFile(directory));
}

function sandboxFile(directory: string): string {
  return join(directory, 'sandbox.json');
}
