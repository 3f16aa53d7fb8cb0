// `npm run build`: installs, compiles and bundles what is missing, also in a clone in which nothing was done yet.
import { setUp } from './setup.mjs';

setUp();
