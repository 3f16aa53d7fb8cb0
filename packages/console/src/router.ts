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
  const to = { ...route.value, parameters: { ...route.value.parameters, ...changes } };
  history.replaceState(null, '', addressOf(to));
  route.value = parseRoute(location.hash);
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
