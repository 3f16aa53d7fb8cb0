import { render } from 'preact';
import { App } from './app.js';
import { deleteLeftFiles } from './disk/private-file.js';

const place = document.getElementById('app');
if (place !== null) render(<App />, place);

// What is left by another tab disturbs nobody: the page comes first.
setTimeout(() => void deleteLeftFiles().catch(() => {}), 1000);
