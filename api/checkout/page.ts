// GET /flow/<intent_id>/scan and /flow/assets/… (spec, end-to-end flow, step 4; decisions 30 and 116). The page is the same
// for every intent: what it is about comes in the fragment, which no server sees.
import type { ApiContext } from '../context';
import { answerFile, type CheckoutFiles } from './files';
import { DomainError } from '../../src/domain/errors';

/** The name changes with the content, so what a browser has of it is good for ever. */
const FOR_EVER = 'public, max-age=31536000, immutable';

export function servePage({ page }: CheckoutFiles) {
  return (ctx: ApiContext): void => {
    answerFile(ctx, page);
  };
}

export function serveAsset({ assets }: CheckoutFiles) {
  return (ctx: ApiContext, name: string): void => {
    const asset = assets.get(name);
    if (asset === undefined) throw new DomainError('not_found');
    ctx.set('Cache-Control', FOR_EVER);
    answerFile(ctx, asset);
  };
}
