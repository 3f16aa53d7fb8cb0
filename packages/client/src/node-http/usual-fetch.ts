/**
 * Whether `fetch` sends as Node makes it, so that the same may be sent in another way. A program may have replaced it, as
 * libraries for tests do, or have set a dispatcher of undici, which `fetch` is made of: for a proxy, a certificate or a
 * limit. What is not known here counts as set.
 */
export function isFetchUsual(): boolean {
  const dispatcher = currentDispatcher();
  if (known?.fetch !== fetch || known.dispatcher !== dispatcher)
    known = { fetch, dispatcher, isUsual: isOfNode(fetch) && isUsual(dispatcher) };
  return known.isUsual;
}

/** What was looked at last. */
let known: { fetch: typeof fetch; dispatcher: object | undefined; isUsual: boolean } | undefined;

/** Where all copies of undici look for the dispatcher of the program: those before version 8, and later ones. */
const places = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')] as const;

function currentDispatcher(): object | undefined {
  const [one, other] = places.map((place) => Reflect.get(globalThis, place) as object | undefined);
  // Version 8 wraps its own for those before.
  return one === undefined || one.constructor?.name === 'Dispatcher1Wrapper' ? other : one;
}

function isOfNode(given: typeof fetch): boolean {
  return Function.prototype.toString.call(given).includes('internal/deps/undici');
}

/** Whether it is an agent that was made without options, by Node or by the first package that brings undici along. */
function isUsual(dispatcher: object | undefined): boolean {
  if (dispatcher === undefined) return true;
  const { constructor: made } = dispatcher;
  // What composes an agent with interceptors looks like it, and dispatches otherwise.
  if (made?.name !== 'Agent' || dispatchOf(dispatcher) !== dispatchOf(made.prototype)) return false;
  const options = Object.values((setting(dispatcher, 'options') as object | undefined) ?? { unknown: true });
  const factory = setting(dispatcher, 'factory') as { readonly name: string } | undefined;
  return (
    options.every((value) => value === undefined || value === Number.POSITIVE_INFINITY) &&
    factory?.name === 'defaultFactory' &&
    !setting(dispatcher, 'maxRedirections')
  );
}

const dispatchOf = (dispatcher: object): unknown => Reflect.get(dispatcher, 'dispatch');

function setting(dispatcher: object, name: string): unknown {
  const key = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === name);
  return key && Reflect.get(dispatcher, key);
}
