// Wraps every function of an object, for example with a fault, a clock update or a failpoint.

interface Call {
  readonly member: string;
  readonly args: readonly unknown[];
  /** Calls the function with those arguments. */
  readonly run: () => unknown;
}

/** @param around its result replaces the result of the function */
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
