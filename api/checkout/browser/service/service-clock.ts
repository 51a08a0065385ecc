// The service's time, from the Date header of its answers.

export interface ServiceClock {
  readonly read: (response: Response) => void;
  readonly now: () => Date;
}

export function createServiceClock(): ServiceClock {
  let startedMs = performance.timeOrigin;
  return {
    read({ headers }) {
      const answeredMs = Date.parse(headers.get('Date') ?? '');
      if (!Number.isNaN(answeredMs)) startedMs = answeredMs - performance.now();
    },
    now: () => new Date(startedMs + performance.now()),
  };
}
