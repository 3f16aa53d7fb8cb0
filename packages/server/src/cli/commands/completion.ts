import { OperatorError } from '../../operator-error.js';
import type { RegisterCommand } from '../command.js';
import { completionScript, shells } from '../completion/scripts.js';
import { completedCommands } from '../completion/words.js';

const where = `Put the line of your shell into its file:
  bash  ~/.bashrc                   source <(basedrive completion bash)
  zsh   ~/.zshrc, below compinit    source <(basedrive completion zsh)
  fish  ~/.config/fish/config.fish  basedrive completion fish | source`;

/** `completion`: prints the script with which a shell completes commands and options. */
export const completionCommand: RegisterCommand = ({ program, terminal }) => {
  program
    .command('completion')
    .description(`print the completion script of a shell: ${shells.join(', ')}`)
    .argument('<shell>', shells.join(', '))
    .addHelpText('after', `\n${where}`)
    .action((name: string) => {
      const shell = shells.find((known) => known === name);
      if (shell === undefined) throw new OperatorError(`completion: the shell must be ${shells.join(', ')}`);
      terminal.out(completionScript(shell, completedCommands(program)));
    });
};
