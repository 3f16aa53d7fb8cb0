import { signal } from '@preact/signals';

/** What the page shows. It is the fragment of the URL, which a browser never sends, so that no log has it. */
export type Route =
  | { readonly screen: 'overview' | 'keys' | 'sharing' | 'webhooks'; readonly parameters: ViewState }
  | { readonly screen: 'bases' | 'drives'; readonly name: string; readonly parameters: ViewState };

/** The state of a view: query, order, open item … */
export type ViewState = Readonly<Record<string, string>>;

/** `#/bases/{name}?query=…` */
function parseRoute(fragment: string): Route {
  const [path = '', text = ''] = splitOnce(fragment.replace(/^#?\/?/, ''), '?');
  const [screen = '', name = ''] = splitOnce(path, '/');
  const parameters = Object.fromEntries(new URLSearchParams(text));
  if ((screen === 'bases' || screen === 'drives') && name !== '') {
    return { screen, name: decode(name), parameters };
  }
  const isOther = screen === 'keys' || screen === 'sharing' || screen === 'webhooks';
  return { screen: isOther ? screen : 'overview', parameters };
}

/** The address of a route on this page. Empty parameters are left out. */
export function addressOf(route: Route): string {
  const given = Object.entries(route.parameters).filter(([, value]) => value !== '');
  const text = new URLSearchParams(given).toString();
  const path = 'name' in route ? `${route.screen}/${encodeURIComponent(route.name)}` : route.screen;
  return `#/${path}${text === '' ? '' : `?${text}`}`;
}

/** The route of the address bar. */
export const route = signal(parseRoute(location.hash));

/** The first row in view, as the address has it. It changes often, and nothing is drawn anew for it. */
let at = route.peek().parameters.at ?? '';

/** What the browser's history has of a list in addition to its address. */
interface KeptPlace {
  readonly cell: { readonly row: number; readonly column: number };
  /** The keys of the selected rows. */
  readonly selected: readonly string[];
}

/** What is open beside a list: it leaves the place in it. */
const beside = new Set(['item', 'file']);
const maxSelected = 1000;

addEventListener('hashchange', () => {
  const next = parseRoute(location.hash);
  at = next.parameters.at ?? '';
  route.value = next;
});

/** The first row in view that the address asks for. */
export const placeOfAddress = () => Number(/^\d{1,15}$/.exec(at)?.[0] ?? 0);

/** What was noted of the list in this step of the history. */
export function keptPlace(): KeptPlace | undefined {
  return (history.state as { readonly list?: KeptPlace } | null)?.list;
}

/** Notes where somebody is in the list of the screen. The address has the first row in view, the history the rest. */
export function keepPlace(row: number, { cell, selected }: KeptPlace): void {
  if (!isOfRoute()) return;
  at = row === 0 ? '' : String(row);
  const list = { cell, selected: selected.length > maxSelected ? [] : selected };
  history.replaceState({ ...history.state, list }, '', addressOf(changed({})));
}

/** Whether the step of the history is that of the route: Back changes it before the page hears of it. */
function isOfRoute(): boolean {
  const addressed = (from: Route) => addressOf({ ...from, parameters: { ...from.parameters, at: '' } });
  return addressed(parseRoute(location.hash)) === addressed(route.peek());
}

/** How far the parts of the screen were scrolled in this step of the history, by their names. */
export function keptScroll(): Readonly<Record<string, number>> {
  return (history.state as { readonly scroll?: Record<string, number> } | null)?.scroll ?? {};
}

/** Notes how far the parts of the screen are scrolled. */
export function keepScroll(scroll: Readonly<Record<string, number>>): void {
  if (!isOfRoute()) return;
  history.replaceState({ ...history.state, scroll }, '');
}

/** Whether two routes show the same, apart from what is open beside it. */
export function isSameList(one: Route, other: Route): boolean {
  const listOf = (from: Route) => {
    const parameters = Object.entries(from.parameters).filter(([name]) => !beside.has(name) && name !== 'at');
    return JSON.stringify([{ ...from, parameters: parameters.sort() }]);
  };
  return listOf(one) === listOf(other);
}

/** Goes to a route as a step of the browser's history. */
export function go(to: Route): void {
  location.hash = addressOf(to);
}

/** Changes parameters of the present view without a step in the history. An empty text removes one. */
export function setParameters(changes: ViewState): void {
  const list = isBeside(changes) ? keptPlace() : undefined;
  const scroll = isBeside(changes) ? keptScroll() : undefined;
  history.replaceState({ list, scroll }, '', addressOf(changed(changes)));
  route.value = parseRoute(location.hash);
}

/** Changes parameters of the present view as a step of the history: Back returns to the view before. */
export function stepTo(changes: ViewState): void {
  const list = isBeside(changes) ? keptPlace() : undefined;
  const scroll = isBeside(changes) ? keptScroll() : undefined;
  const { parameters } = route.peek();
  if (Object.entries(changes).every(([name, value]) => (parameters[name] ?? '') === value)) return;
  history.pushState({ step: namesOf(changes), list, scroll }, '', addressOf(changed(changes)));
  route.value = parseRoute(location.hash);
}

/** Takes back the step that changed the same parameters, or changes them where the last step was another one. */
export function stepBack(changes: ViewState): void {
  const { step } = (history.state ?? {}) as { readonly step?: unknown };
  if (step !== namesOf(changes)) {
    setParameters(changes);
    return;
  }
  // At once: a second key must not go back another step. The browser follows.
  route.value = changed(changes);
  history.back();
}

const namesOf = (changes: ViewState) => Object.keys(changes).sort().join();

const isBeside = (changes: ViewState) => Object.keys(changes).every((name) => beside.has(name));

/** The present view with other parameters. Another list begins at its start. */
function changed(changes: ViewState): Route {
  if (!isBeside(changes)) at = '';
  return { ...route.peek(), parameters: { ...route.peek().parameters, ...changes, at } };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
