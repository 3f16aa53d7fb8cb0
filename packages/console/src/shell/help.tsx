import { Dialog } from '../ui/dialog.js';
import { keyName } from '../ui/shortcuts.js';

const groups: readonly (readonly [
  title: string,
  keys: readonly (readonly [keys: string, what: string])[],
])[] = [
  [
    'Anywhere',
    [
      [keyName('mod+k'), 'Go to a base or drive'],
      ['?', 'This list'],
      ['Esc', 'Close what is open'],
    ],
  ],
  [
    'Items',
    [
      ['/', 'Query'],
      ['↑ ↓ ← →', 'Move between cells'],
      [keyName('mod+↑'), 'First row; ↓ last row'],
      ['Enter', 'Open the item, or edit the cell'],
      ['F2', 'Edit the cell; typing replaces its value'],
      [keyName('mod+↵'), 'Open the item; in its JSON: save'],
      [keyName('mod+c'), 'Copy the value of the cell'],
      [keyName('mod+v'), 'Paste a value, or a block of a spreadsheet'],
      ['Space', 'Select the row; with Shift, all between'],
      ['Shift ↑ ↓', 'Select rows; Shift and a click, too'],
      [keyName('mod+a'), 'Select all loaded rows'],
      ['Shift ← →', 'On the head of a column: its width'],
      ['Del', 'Delete the selected items'],
      [keyName('mod+z'), 'Take back the last staged change'],
      [keyName('mod+s'), 'Save the staged changes'],
    ],
  ],
  [
    'Files',
    [
      ['/', 'Find names in the folder'],
      ['Enter', 'Open the folder or the file'],
      ['Backspace', 'Go to the folder above'],
      ['Space', 'Select; Shift ↑ ↓ selects rows'],
      [keyName('mod+a'), 'Select all that are loaded'],
      ['Del', 'Delete what is selected'],
    ],
  ],
];

/** The list of all keys. */
export function Help({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" form="wide" isText onClose={onClose}>
      <div class="key-columns">
        {groups.map(([title, keys]) => (
          <section key={title} class="keys-group">
            <h3>{title}</h3>
            <dl class="keys">
              {keys.map(([key, what]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p>
        <a href="./assets/licenses.txt" target="_blank" rel="noreferrer">
          Licences of the software in this page
        </a>
      </p>
    </Dialog>
  );
}
