// Something that one side waits for and the other lets happen: how tests order events without sleeping.

export interface Gate {
  readonly isOpen: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let open: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open: () => open() };
}

/** One gate per name, made when it is first spoken of. */
export function createGates(): (name: string) => Gate {
  const gates = new Map<string, Gate>();
  return (name) => {
    const gate = gates.get(name) ?? createGate();
    gates.set(name, gate);
    return gate;
  };
}
