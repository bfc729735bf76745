/** Command: holds the audit log of the document service against its chain; `--help` says how. */
import { runVerifyAuditCommand } from '@supplier/lib/governance/audit';

runVerifyAuditCommand('document');
