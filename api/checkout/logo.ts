// GET /flow/logos/<logo_id>.png: the logo of a partner (decision 144). An <img> sends no token, so
// the id is the credential: it is random, and only session answers have it.
import type { ApiContext, ApiDependencies } from '../context';
import { DomainError } from '../../src/domain/errors';
import { CACHED_FOR_EVER } from './files';

const NAME = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.png$/;

export function logoPath(logoId: string): string {
  return `/flow/logos/${logoId}.png`;
}

export function serveLogo({ logos }: ApiDependencies) {
  return async (ctx: ApiContext, name: string): Promise<void> => {
    const logoId = NAME.exec(name)?.[1];
    const png = logoId === undefined ? undefined : await logos.read(logoId);
    if (png === undefined) throw new DomainError('not_found');
    // Another logo has another id.
    ctx.set('Cache-Control', CACHED_FOR_EVER);
    ctx.type = 'image/png';
    ctx.body = png;
  };
}
