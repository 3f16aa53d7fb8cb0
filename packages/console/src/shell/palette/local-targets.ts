import { bases, drives } from '../../api/catalog.js';
import { mayAdd, mayManageKeys, mayShare } from '../../api/own-key.js';
import { signOut } from '../../api/session.js';
import { filtersOf, filterWords } from '../../bases/query/filters.js';
import { type Route, route } from '../../router.js';
import { isTouch } from '../../ui/media.js';
import { pageActions } from '../../ui/page-actions.js';
import { isCompact } from '../../ui/rows.js';
import { changeTheme } from '../../ui/theme.js';
import { askForName } from '../sidebar.js';
import { hasWords, shownOfEach, type Target, type TargetGroup } from './target.js';

/** What is known without asking the service: names that are loaded, filters, and what can be done here. */
export function localTargets(text: string, onHelp: () => void): readonly TargetGroup[] {
  const fits = ({ text: own, where = '' }: Target) => hasWords(`${own} ${where}`, text);
  const group = (title: string, targets: readonly Target[]) => ({
    title,
    targets: targets.filter(fits).slice(0, text === '' ? shownOfEach : 2 * shownOfEach),
  });
  const here = pageActions().map(({ name, icon, run }): Target => ({ icon, text: name, to: run }));
  return [
    group('Bases', bases.names.peek().map(baseTarget)),
    group('Drives', drives.names.peek().map(driveTarget)),
    group('Filters', filterTargets()),
    group('On this page', here),
    group('Anywhere', [...places(), ...commands(onHelp)]),
  ];
}

export const baseTarget = (name: string): Target => ({
  icon: 'database',
  text: name,
  to: { screen: 'bases', name, parameters: {} },
});

export const driveTarget = (name: string): Target => ({
  icon: 'drive',
  text: name,
  to: { screen: 'drives', name, parameters: {} },
});

/** The saved filters of all bases, those of the base that is shown first; and what was asked there last. */
function filterTargets(): readonly Target[] {
  const present = route.peek();
  const here = present.screen === 'bases' ? [present.name] : [];
  const others = bases.names.peek().filter((name) => !here.includes(name));
  const saved = [...here, ...others].flatMap((base) =>
    filtersOf(base).saved.map(({ name, query, order }) => filterTarget(base, name, { query, order })),
  );
  const recent = here.flatMap((base) =>
    filtersOf(base).recent.map(({ query, order }) =>
      filterTarget(base, filterWords(query, order), { query, order }, 'clock'),
    ),
  );
  return [...saved, ...recent];
}

function filterTarget(
  base: string,
  text: string,
  parameters: { readonly query: string; readonly order: string },
  icon: Target['icon'] = 'filter',
): Target {
  return { icon, text, where: base, to: { screen: 'bases', name: base, parameters } };
}

function places(): readonly Target[] {
  const screen = (name: 'overview' | 'sharing' | 'webhooks' | 'keys'): Route => ({
    screen: name,
    parameters: {},
  });
  return [
    { icon: 'home', text: 'Overview', to: screen('overview') },
    { icon: 'globe', text: 'Shared', to: screen('sharing') },
    ...(mayShare.peek() ? [{ icon: 'webhook' as const, text: 'Webhooks', to: screen('webhooks') }] : []),
    ...(mayManageKeys.peek() ? [{ icon: 'key' as const, text: 'Keys', to: screen('keys') }] : []),
  ];
}

function commands(onHelp: () => void): readonly Target[] {
  const newBase: Target = { icon: 'plus', text: 'New base…', to: () => askForName('bases') };
  const newDrive: Target = { icon: 'plus', text: 'New drive…', to: () => askForName('drives') };
  const rows: Target = {
    icon: 'list',
    text: isCompact.peek() ? 'Usual rows' : 'Compact rows',
    to: () => {
      isCompact.value = !isCompact.peek();
    },
  };
  return [
    ...(mayAdd('bases', bases.names.peek()) ? [newBase] : []),
    ...(mayAdd('drives', drives.names.peek()) ? [newDrive] : []),
    { icon: 'monitor', text: 'Change the colours', to: changeTheme },
    ...(isTouch.peek() ? [] : [rows]),
    { icon: 'help', text: 'Keyboard shortcuts', to: onHelp },
    { icon: 'log-out', text: 'Sign out', to: () => signOut() },
  ];
}
