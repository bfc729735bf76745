/** Command: checks the audit log of the submission service against its chain; `--help` says how. */
import { runVerifyAuditCommand } from '@supplier/lib/governance/audit';

runVerifyAuditCommand('submission');
