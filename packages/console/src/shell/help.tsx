import { Dialog } from '../ui/dialog.js';
import { keyName } from '../ui/shortcuts.js';

const groups: readonly (readonly [
  title: string,
  keys: readonly (readonly [keys: string, what: string])[],
])[] = [
  [
    'Anywhere',
    [
      [keyName('mod+k'), 'Find anything, or something to do'],
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
      ['Shift ↑ ↓ ← →', 'Select cells; dragging, or Shift and a click, too'],
      [keyName('mod+c'), 'Copy the cells; X cuts them'],
      [keyName('mod+v'), 'Paste values, also of a spreadsheet'],
      [keyName('mod+d'), 'Fill down; R fills to the right'],
      [keyName('mod+↵'), 'In the editor of a cell: for all selected cells'],
      ['Space', 'Select the row; with Shift, all between'],
      [keyName('mod+a'), 'Select all loaded rows'],
      ['Shift ← →', 'On the head of a column: its width'],
      [keyName('mod+⇧ ← →'), 'On the head of a column: its place'],
      ['Del', 'Remove the values of the cells; delete the selected rows'],
      [keyName('mod+z'), 'Take back the last staged change'],
      ['Alt ↑ ↓', 'Open the item before or after'],
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
