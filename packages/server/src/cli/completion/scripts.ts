import { shellWord } from '../../lib/text/words.js';
import type { CompletedCommand, CompletedWord } from './words.js';

/** The shells that have a script. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/**
 * The script that completes the words of these commands in a shell. It holds every word, so that the Tab key waits for
 * no process. After an option with a value, and where no word fits, the shell completes names of files.
 */
export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

/** Finds out in `$command` which command the words before the cursor select. */
function bashScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => shellWord(path));
  return `# Completion of basedrive for bash: source <(basedrive completion bash)
_basedrive() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command= word words valued
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${command:+$command }$word" in
      ${paths.join('|')}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command" in
${commands.map(bashCase).join('\n')}
  esac
  if [[ " $valued " == *" $previous "* ]]; then COMPREPLY=(); return; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _basedrive basedrive`;
}

function bashCase({ path, subcommands, options }: CompletedCommand): string {
  const words = (list: readonly CompletedWord[]) => list.map(({ word }) => word).join(' ');
  return `    ${shellWord(path)})
      valued=${shellWord(valued(options))}
      if [[ $current == -* ]]; then words=${shellWord(words(options))}; else words=${shellWord(words(subcommands))}; fi ;;`;
}

/** The options that a value follows. */
function valued(options: CompletedCommand['options']): string {
  const withValue = options.filter(({ takesValue }) => takesValue);
  return withValue.map(({ word }) => word).join(' ');
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => shellWord(path));
  return `#compdef basedrive
# Completion of basedrive for zsh: source <(basedrive completion zsh)
_basedrive() {
  local command= word valued
  local -a subcommands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${command:+$command }$word" in
      ${paths.join('|')}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command" in
${commands.map(zshCase).join('\n')}
  esac
  if [[ " $valued " == *" $words[CURRENT-1] "* ]]; then
    _files
  elif [[ $words[CURRENT] == -* ]]; then
    _describe -o 'option' options
  elif (( \${#subcommands} )); then
    _describe 'command' subcommands
  else
    _files
  fi
}
if [[ $funcstack[1] == _basedrive ]]; then _basedrive "$@"; else compdef _basedrive basedrive; fi`;
}

function zshCase({ path, subcommands, options }: CompletedCommand): string {
  const described = (list: readonly CompletedWord[]) =>
    list.map(({ word, description }) => shellWord(`${word}:${description.replaceAll(':', '\\:')}`)).join(' ');
  return `    ${shellWord(path)}) subcommands=(${described(subcommands)}); options=(${described(options)}); valued=${shellWord(valued(options))} ;;`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  return `# Completion of basedrive for fish: basedrive completion fish | source
${commands.flatMap(fishLines).join('\n')}`;
}

function fishLines({ path, subcommands, options }: CompletedCommand): string[] {
  const seen = path.split(' ').filter((word) => word !== '');
  const notYet = subcommands.map(({ word }) => word).join(' ');
  const conditions = [
    ...seen.map((word) => `__fish_seen_subcommand_from ${word}`),
    ...(notYet === '' ? [] : [`not __fish_seen_subcommand_from ${notYet}`]),
  ];
  const when = `-n ${fishQuoted(conditions.join('; and '))}`;
  return [
    ...subcommands.map(
      ({ word, description }) => `complete -c basedrive ${when} -f -a ${word} -d ${fishQuoted(description)}`,
    ),
    ...options.map(
      ({ word, description, takesValue }) =>
        `complete -c basedrive ${when} -l ${word.replace(/^--/, '')}${takesValue ? ' -r' : ''} -d ${fishQuoted(description)}`,
    ),
  ];
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
