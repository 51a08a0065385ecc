// Preloaded into one process: shifts its `Date` by CLOCK_SHIFT_MS. `performance` and timers measure
// durations and stay unchanged.
const shiftMs = Number(process.env['CLOCK_SHIFT_MS'] ?? 0);
const { now } = Date;
const shiftedNow = () => now() + shiftMs;

if (shiftMs !== 0) {
  globalThis.Date = new Proxy(Date, {
    construct: (target, given: ConstructorParameters<DateConstructor> | []) =>
      given.length === 0 ? new target(shiftedNow()) : new target(...given),
    apply: (target) => new target(shiftedNow()).toString(),
    get: (target, member, receiver): unknown =>
      member === 'now' ? shiftedNow : Reflect.get(target, member, receiver),
  });
}
