// The same object, with something around each of its functions: a fault, a clock that is set before, a point at which to die.

export interface Call {
  readonly member: string;
  readonly args: readonly unknown[];
  /** The function itself, with those arguments. */
  readonly run: () => unknown;
}

/** @param around answers what the caller gets in place of the function's own answer */
export function aroundEach<Port extends object>(port: Port, around: (call: Call) => unknown): Port {
  return new Proxy(port, {
    get(target, member, receiver): unknown {
      const found: unknown = Reflect.get(target, member, receiver);
      if (typeof found !== 'function' || typeof member !== 'string') return found;
      return (...args: readonly unknown[]) =>
        around({ member, args, run: (): unknown => Reflect.apply(found, target, args) });
    },
  });
}
