// The entry of the checkout page. It removes the app's data from the address before it makes any
// request.
import { Checkout } from './checkout';
import type { Pace } from './confirmation';
import { storeSession, storedSession, type StoredSession } from './session/stored-session';
import { rejectedOutcome } from './outcomes';
import { endingView } from './screens/ending';
import { createService } from './service/http-service';
import { intentIdOf, readSessionLink, type SessionLink } from './session/session-link';
import { createStage } from './stage';
import { loadIcon, loadStyle } from './style-sheet';

const fragment = takeFragment();
const stage = createStage(loadStyle());
loadIcon();

/**
 * Returns the fragment and removes it (protocol 6.1): afterwards neither address bar nor history
 * nor any script can read it.
 */
function takeFragment(): string {
  const { hash, pathname } = location;
  history.replaceState(null, '', pathname);
  return hash;
}

function findSession(intentId: string): StoredSession | undefined {
  const link = readSessionLink(location.pathname, fragment);
  if (link === undefined) return fragment === '' ? storedSession(intentId) : undefined;
  // The same link may be opened again, perhaps after a confirmation: its stored session stays.
  const stored = storedSession(intentId);
  const session = stored?.token === link.token ? stored : toStored(link);
  storeSession(intentId, session);
  return session;
}

function toStored({ token, expiresAtMs, returnScheme }: SessionLink): StoredSession {
  return { token, expiresAtMs, returnScheme, allowedScheme: null, partner: null, sentCode: null };
}

async function main(): Promise<void> {
  const intentId = intentIdOf(location.pathname) ?? '';
  const session = findSession(intentId);
  if (session === undefined) {
    // Without a link the page was probably reloaded after the outcome: the payment may be paid.
    const why = fragment === '' ? 'expired' : 'invalid';
    stage.show(endingView({ ...rejectedOutcome(why).options, onBack: null }));
    return;
  }
  const service = createService(intentId, session.token);
  const goTo = (url: string) => location.assign(url);
  const warn = (text: string) => {
    // eslint-disable-next-line no-console -- For the partner's engineer; payers see no console.
    console.warn(text);
  };
  const deps = { intentId, stage, service, newPace, nowMs: () => Date.now(), goTo, warn };
  await new Checkout(deps, session).start();
}

/** Waits vary randomly, so that not all phones send requests at once after an outage. */
function newPace(): Pace {
  const startedMs = performance.now();
  return {
    elapsedMs: () => performance.now() - startedMs,
    wait: (ms) =>
      new Promise((resolve) => {
        const go = () => {
          clearTimeout(timer);
          removeEventListener('online', go);
          resolve();
        };
        const timer = setTimeout(go, ms * (0.8 + 0.4 * Math.random()));
        addEventListener('online', go);
      }),
  };
}

/**
 * An app may open another link in the same tab: the page starts again, unless a payment is under
 * way.
 */
addEventListener('hashchange', () => {
  const link = readSessionLink(location.pathname, takeFragment());
  if (link === undefined) return;
  const isUnderWay = typeof storedSession(link.intentId)?.sentCode === 'string';
  if (isUnderWay) return;
  storeSession(link.intentId, toStored(link));
  location.reload();
});

void main();
