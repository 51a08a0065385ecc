// Who works with payctl: in prod the login of Postgres, and nobody can type another name (decision
// 159).
import { DomainError } from '../domain/errors';
import { isNoSuchTable, readOne, type Queryable } from '../postgres/database';
import { BadOption, Rejection } from './rejection';

interface Login {
  readonly isProd: boolean;
  readonly hasBoth: boolean;
  readonly name: string;
}

/**
 * @param isNamed whether --as was given
 * @throws Rejection if the login is operator and approver, BadOption if a name was typed in prod
 */
export async function checkLogin(database: Queryable, isNamed: boolean): Promise<void> {
  const login = await readLogin(database);
  if (login === undefined) return;
  const { isProd, hasBoth, name } = login;
  if (hasBoth) {
    throw new Rejection(
      `The login ${name} is operator and approver: take one role from it (deploy/postgres/roles.sql). Nothing was done.`,
    );
  }
  if (isProd && isNamed) {
    throw new BadOption(
      `--as is for the sandbox: here the audit trail has the name of the login, ${name}. Nothing was changed.`,
    );
  }
}

/** Undefined without our schema and while Postgres is away: the command says so itself. */
async function readLogin(database: Queryable): Promise<Login | undefined> {
  try {
    return await readOne<Login>(database, {
      text: `select exists (select from service_environment where environment = 'prod') as "isProd",
                    has_role('payments_operator') and has_role('payments_approver')
                    and not is_owner() as "hasBoth", session_user as name`,
    });
  } catch (error) {
    if (isNoSuchTable(error) || error instanceof DomainError) return undefined;
    throw error;
  }
}
