import { signal } from '@preact/signals';

/** What the page shows. It is the fragment of the URL, which a browser never sends, so that no log has it. */
export type Route =
  | { readonly screen: 'overview' | 'keys'; readonly parameters: ViewState }
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
  return { screen: screen === 'keys' ? 'keys' : 'overview', parameters };
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

addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash);
});

/** Goes to a route as a step of the browser's history. */
export function go(to: Route): void {
  location.hash = addressOf(to);
}

/** Changes parameters of the present view without a step in the history. An empty text removes one. */
export function setParameters(changes: ViewState): void {
  history.replaceState(null, '', addressOf(changed(changes)));
  route.value = parseRoute(location.hash);
}

/** Changes parameters of the present view as a step of the history: Back returns to the view before. */
export function stepTo(changes: ViewState): void {
  const to = addressOf(changed(changes));
  if (to === addressOf(route.value)) return;
  history.pushState({ step: namesOf(changes) }, '', to);
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

function changed(changes: ViewState): Route {
  return { ...route.value, parameters: { ...route.value.parameters, ...changes } };
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
