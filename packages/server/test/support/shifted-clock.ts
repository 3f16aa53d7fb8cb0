/** Imported before a program: its clock of the day is wrong by `CLOCK_SHIFT_MS` (`wrongClock`). */
const shiftMs = Number(process.env.CLOCK_SHIFT_MS);
const now = Date.now;
Date.now = () => now() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) =>
    Reflect.construct(target, given.length === 0 ? [Date.now()] : given, made),
  apply: () => new Date().toString(),
});
