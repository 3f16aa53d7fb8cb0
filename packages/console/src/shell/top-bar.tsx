import { limitText } from '../api/own-key.js';
import { project, signOut } from '../api/session.js';
import { addressOf } from '../router.js';
import { IconButton } from '../ui/button.js';
import { Icon, type IconName } from '../ui/icon.js';
import { keyName } from '../ui/shortcuts.js';
import { changeTheme, type Theme, theme } from '../ui/theme.js';

const themeIcons: Readonly<Record<Theme, IconName>> = { auto: 'monitor', light: 'sun', dark: 'moon' };
const themeNames: Readonly<Record<Theme, string>> = { auto: 'as the system', light: 'light', dark: 'dark' };

interface TopBarProps {
  onMenu(): void;
  onSearch(): void;
  onHelp(): void;
}

/** The project, the search, and what concerns the whole page. */
export function TopBar({ onMenu, onSearch, onHelp }: TopBarProps) {
  return (
    <header class="top-bar">
      <span class="only-phone">
        <IconButton icon="menu" label="Bases and drives" onClick={onMenu} />
      </span>
      <a class="brand" href={addressOf({ screen: 'overview', parameters: {} })} title="Overview">
        <Mark />
        <span class="clip">{project.value}</span>
      </a>
      <button type="button" class="search-opener" onClick={onSearch}>
        <Icon name="search" />
        <span class="search-words">Find or do</span>
        <kbd>{keyName('mod+k')}</kbd>
      </button>
      <span class="top-actions">
        {limitText.value !== '' && (
          <span class="badge clip not-phone" title="What the key of this tab may do">
            {limitText.value}
          </span>
        )}
        <IconButton
          icon={themeIcons[theme.value]}
          label={`Colours: ${themeNames[theme.value]}`}
          onClick={changeTheme}
        />
        <IconButton icon="help" label="Keyboard shortcuts (?)" onClick={onHelp} />
        <IconButton icon="log-out" label="Sign out" onClick={() => signOut()} />
      </span>
    </header>
  );
}

/** The sign of Basedrive. */
export function Mark({ size = 20 }: { readonly size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d="M12 1.5 21 6.75v10.5L12 22.5 3 17.25V6.75Z" fill="currentColor" />
      <path
        d="m7 9.5 5 2.8 5-2.8M12 12.3v5.6"
        fill="none"
        class="mark-lines"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
