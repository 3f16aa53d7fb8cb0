import type { RegisterCommand } from '../command.js';
import { doctorReportText } from '../output/doctor-report.js';

/** `doctor`: says whether the machine and the settings suit a server, and what to do if not. */
export const doctorCommand: RegisterCommand = ({
  program,
  terminal,
  storeSettings,
  showSettings,
  exitWithOne,
}) => {
  const command = program
    .command('doctor')
    .description(
      'look at the machine, the disk, the engines and the certificate, and say what to do; ' +
        'give it the settings of the server; exit code 1 if a server would not run well',
    )
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { diagnose } = await import('../../server/doctor/diagnose.js');
      const findings = await diagnose(storeSettings(), terminal.environment);
      terminal.out(json ? JSON.stringify(findings) : doctorReportText(findings));
      if (findings.some(({ verdict }) => verdict === 'failed')) exitWithOne();
    });
  showSettings(command, [
    'host',
    'port',
    'dataFolder',
    'items',
    'blobs',
    'https',
    'hostnames',
    'tlsCert',
    'tlsKey',
    'publicUrl',
    'keyFile',
    'metrics',
    'maxConnections',
    'maxBufferedBytes',
    'traces',
  ]);
};
