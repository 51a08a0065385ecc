// One direction of a slow connection: everything arrives late, and in the order in which it was sent.

export interface Lane {
  /** Does it when it is due: at once while the connection is not slow and nothing sent before is on its way. */
  later(deliver: () => void): void;
}

interface Waiting {
  readonly dueAtMs: number;
  readonly deliver: () => void;
}

/** @param delayMs asked for every delivery, so that a connection becomes slow and fast again while it lasts */
export function createLane(delayMs: () => number): Lane {
  const waiting: Waiting[] = [];
  const deliverDue = () => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const restMs = next.dueAtMs - performance.now();
      if (restMs > 0) {
        setTimeout(deliverDue, restMs);
        return;
      }
      waiting.shift();
      next.deliver();
    }
  };
  return {
    later(deliver) {
      const delay = delayMs();
      if (delay === 0 && waiting.length === 0) {
        deliver();
        return;
      }
      waiting.push({ dueAtMs: performance.now() + delay, deliver });
      if (waiting.length === 1) deliverDue();
    },
  };
}
