// A login with the rights of one of our roles (deploy/postgres/roles.sql) on one database.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { urlOf, withClient } from '../database';
import { ROOT } from '../programs/fixture-project';

const ROLES = readFileSync(join(ROOT, 'deploy/postgres/roles.sql'), 'utf8');

export type OurRole =
  | ('payments_app' | 'payments_support' | 'payments_reports')
  | ('payments_operator' | 'payments_approver');

export interface RoleLogin {
  /** The name of the login. */
  readonly name: string;
  readonly url: string;
  /** Runs roles.sql; the schema has to be there. */
  grantRoles(): Promise<void>;
  /** After the database was dropped. */
  drop(): Promise<void>;
}

export async function aRoleLogin(ownerUrl: string, role: OurRole): Promise<RoleLogin> {
  const [name, password] = [
    `login_${randomBytes(6).toString('hex')}`,
    randomBytes(16).toString('hex'),
  ];
  const adminUrl = urlOf(ownerUrl, 'postgres');
  await execute(adminUrl, `create role ${name} login password '${password}'`);
  const url = new URL(ownerUrl);
  url.username = name;
  url.password = password;
  return {
    name,
    url: url.href,
    grantRoles: () => execute(ownerUrl, `${ROLES}; grant ${role} to ${name}`),
    drop: () => execute(adminUrl, `drop role ${name}`),
  };
}

/** Statements with several commands take the simple protocol. */
async function execute(url: string, statements: string): Promise<void> {
  await withClient(url, (client) => client.query(statements));
}
