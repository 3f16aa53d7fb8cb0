import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { bases, drives, type NameList } from '../api/catalog.js';
import { limitText, mayAdd, mayManageKeys, mayShare } from '../api/own-key.js';
import { draftKeys } from '../bases/edit/drafts.js';
import { hasStaged } from '../bases/edit/staged-stores.js';
import { addressOf, route } from '../router.js';
import { Button, IconButton } from '../ui/button.js';
import { Icon, type IconName } from '../ui/icon.js';
import { lazy } from '../ui/lazy.js';
import { isPhone } from '../ui/media.js';

const NewNameDialog = lazy(async () => (await import('./new-name.js')).NewNameDialog);

type Kind = 'bases' | 'drives';

const adding = signal<Kind | undefined>(undefined);

/** Asks for the name of a new base or drive. */
export function askForName(kind: Kind): void {
  adding.value = kind;
}

/** The question for a name, once on the page: the sidebar is not always there. */
export function AskedName() {
  return adding.value === undefined ? null : (
    <NewNameDialog
      kind={adding.value}
      onClose={() => {
        adding.value = undefined;
      }}
    />
  );
}

/** Where to go: the overview, every base, every drive, what is shared, the webhooks, the keys. */
export function Sidebar() {
  return (
    <nav class="sidebar" aria-label="Project">
      <ScreenEntry text="Overview" screen="overview" icon="home" />
      <Names kind="bases" title="Bases" icon="database" list={bases} />
      <Names kind="drives" title="Drives" icon="drive" list={drives} />
      <section class="side-section">
        <ScreenEntry text="Shared" screen="sharing" icon="globe" />
        {mayShare.value && <ScreenEntry text="Webhooks" screen="webhooks" icon="webhook" />}
        {mayManageKeys.value && <ScreenEntry text="Keys" screen="keys" icon="key" />}
      </section>
      {isPhone.value && limitText.value !== '' && <p class="side-note">Your key: {limitText.value}</p>}
    </nav>
  );
}

interface ScreenEntryProps {
  readonly screen: 'overview' | 'sharing' | 'webhooks' | 'keys';
  readonly icon: IconName;
  readonly text: string;
}

function ScreenEntry({ screen, ...rest }: ScreenEntryProps) {
  const href = addressOf({ screen, parameters: {} });
  return <Entry {...rest} href={href} isCurrent={route.value.screen === screen} />;
}

interface EntryProps {
  readonly href: string;
  readonly icon: IconName;
  readonly isCurrent: boolean;
  /** Whether something was changed there and is not saved. */
  readonly isUnsaved?: boolean;
  readonly text: string;
}

function Entry({ href, icon, isCurrent, isUnsaved = false, text }: EntryProps) {
  const place = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <a ref={place} class="side-entry" href={href} aria-current={isCurrent ? 'page' : undefined} title={text}>
      <Icon name={icon} />
      <span class="clip">{text}</span>
      {isUnsaved && (
        <span class="staged-dot" title="Not saved">
          <span class="hidden-label">(not saved)</span>
        </span>
      )}
    </a>
  );
}

/** A list of more names scrolls by itself, so that what is below it stays in reach. */
const longLength = 20;

interface NamesProps {
  readonly kind: Kind;
  readonly title: string;
  readonly icon: IconName;
  readonly list: NameList;
}

function Names({ kind, title, icon, list }: NamesProps) {
  const names = list.names.value;
  const state = list.state.value;
  const current = route.value;
  const open = current.screen === kind && 'name' in current ? current.name : undefined;
  // It may be beyond those that are read.
  const shown = state === 'more' && open !== undefined && !names.includes(open) ? [...names, open] : names;
  return (
    <section class="side-section">
      <header class="side-head">
        <h2>{title}</h2>
        {mayAdd(kind, names) && (
          <IconButton
            icon="plus"
            label={kind === 'bases' ? 'New base' : 'New drive'}
            onClick={() => askForName(kind)}
          />
        )}
      </header>
      <ul class={names.length > longLength ? 'side-list is-long' : 'side-list'}>
        {shown.map((name) => (
          <li key={name}>
            <Entry
              text={name}
              href={addressOf({ screen: kind, name, parameters: {} })}
              icon={icon}
              isCurrent={open === name}
              isUnsaved={kind === 'bases' && (hasStaged(name) || draftKeys(name).length > 0)}
            />
          </li>
        ))}
      </ul>
      {state === 'complete' && names.length === 0 && (
        <p class="side-note">{limitText.value === '' ? 'None yet' : 'None for this key'}</p>
      )}
      {state === 'reading' && names.length === 0 && (
        <p class="side-note" role="status" aria-label={`Reading the names of ${kind}`}>
          <span class="skeleton" />
        </p>
      )}
      {state === 'failed' && (
        <div class="side-failed">
          <span class="side-note">Not read</span>
          <IconButton
            icon="refresh"
            label={`Read the names of ${kind} again`}
            onClick={() => void list.reload()}
          />
        </div>
      )}
      {state === 'more' && <Button text="Show more" variant="quiet" onClick={() => void list.more()} />}
    </section>
  );
}
