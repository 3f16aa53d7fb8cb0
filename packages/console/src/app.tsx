import { key } from './api/session.js';
import { BaseScreen } from './bases/base-screen.js';
import { Overview } from './overview/overview.js';
import { route } from './router.js';
import { Shell } from './shell/shell.js';
import { SignIn } from './signin/sign-in.js';
import { ConfirmPlace } from './ui/confirm.js';
import { JobPlace } from './ui/jobs.js';
import { lazy } from './ui/lazy.js';
import { PartPlace } from './ui/parts.js';
import './drives/uploads/interrupted.js';
import './shell/page-title.js';
import './ui/theme.js';

const screen = { isScreen: true };
// What most visits do not need is loaded when it is first shown.
const DriveScreen = lazy(async () => (await import('./drives/drive-screen.js')).DriveScreen, screen);
const KeysScreen = lazy(async () => (await import('./keys/keys-screen.js')).KeysScreen, screen);
const SharingScreen = lazy(
  async () => (await import('./drives/sharing/sharing-screen.js')).SharingScreen,
  screen,
);

const WebhooksScreen = lazy(
  async () => (await import('./webhooks/webhooks-screen.js')).WebhooksScreen,
  screen,
);

/** The whole page. */
export function App() {
  return (
    <>
      {key.value === undefined ? (
        <SignIn />
      ) : (
        <Shell>
          <Screen />
        </Shell>
      )}
      <PartPlace />
      <ConfirmPlace />
      <JobPlace />
    </>
  );
}

function Screen() {
  const current = route.value;
  if (current.screen === 'bases') return <BaseScreen key={current.name} base={current.name} />;
  if (current.screen === 'drives') return <DriveScreen key={current.name} drive={current.name} />;
  if (current.screen === 'keys') return <KeysScreen />;
  if (current.screen === 'webhooks') return <WebhooksScreen />;
  if (current.screen === 'sharing') return <SharingScreen />;
  return <Overview />;
}
