// A latch: one side waits until the other opens it. Tests order events with it instead of sleeping.

export interface Latch {
  readonly isOpen: Promise<void>;
  open(): void;
}

export function createLatch(): Latch {
  let open: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open: () => open() };
}
