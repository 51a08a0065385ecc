// One direction of a slow connection: delivers late, in the order of sending.

interface Lane {
  /** Delivers after the delay; at once if there is no delay and no earlier delivery is waiting. */
  later(deliver: () => void): void;
}

interface Waiting {
  readonly dueAtMs: number;
  readonly deliver: () => void;
}

/** @param delayMs called for every delivery, so that the delay of an open connection can change */
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
