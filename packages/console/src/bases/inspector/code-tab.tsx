import { serviceAddress } from '../../api/address.js';
import { quotedAddress } from '../../api/command.js';
import { CodeBlock } from '../../ui/copy.js';

/** How programs read, change and delete the item. `$KEY` stands for the key of the project. */
export function CodeTab({ base, itemKey }: { readonly base: string; readonly itemKey: string }) {
  const address = quotedAddress([base, 'items', itemKey]);
  const header = `-H "X-API-Key: $KEY"`;
  const [name, key] = [JSON.stringify(base), JSON.stringify(itemKey)];
  return (
    <div class="stack code-tab">
      <h3>curl</h3>
      <CodeBlock
        label="commands"
        code={`curl ${address} ${header}

curl -X PATCH ${address} ${header} \\
  -H 'Content-Type: application/json' -d '{"set":{"name":"value"}}'

curl -X DELETE ${address} ${header}`}
      />
      <h3>JavaScript</h3>
      <CodeBlock
        label="code"
        code={`import { Basedrive } from 'basedrive-client';

const { Base } = Basedrive(process.env.KEY, { url: '${serviceAddress}' });
const base = Base(${name});
await base.get(${key});
await base.update({ name: 'value' }, ${key});
await base.delete(${key});`}
      />
    </div>
  );
}
