// `npm run test:browser`: compiles the packages and runs the tests in a browser. It uses the Chromium of Debian
// (`apt-get install chromium`), or the one that BASEDRIVE_CHROMIUM names.
import { chooseChromium } from '../../../scripts/chromium.mjs';
import { runTests } from '../../../scripts/run-tests.mjs';
import { setUpServer } from '../../../scripts/setup.mjs';

chooseChromium('whole');
const files = ['browser', 'hostile-files', 'live', 'public-pages', 'recipes', 'sharing', 'uppy'].map(
  (name) => `packages/client/dist/browser-test/${name}.test.js`,
);
setUpServer(['packages/client', 'packages/server']);
process.exit(await runTests({ options: [], files }));
