// How everything is named. Terraform makes the same names (infra/terraform/names.tf), and tests hold both together.

import { isMadeOf } from 'rules.bicep'

@export()
@description('The rule that a prefix keeps, as it is told to whoever breaks it.')
var prefixRule = 'must be 2 to 12 lower-case letters, digits and single dashes, a letter first, no dash last'

@export()
@description('Whether a prefix keeps the rule: every name that is made from it is then legal.')
func isPrefix(prefix string) bool =>
  length(prefix) >= 2 && length(prefix) <= 12 && contains('abcdefghijklmnopqrstuvwxyz', take(prefix, 1)) && !contains(
    prefix,
    '--'
  ) && !endsWith(prefix, '-') && isMadeOf(prefix, 'abcdefghijklmnopqrstuvwxyz0123456789-')

@export()
@description('A region by its one name: "West Europe" is "westeurope", and must not make other names.')
func regionOf(location string) string => toLower(replace(location, ' ', ''))

@export()
@description('What makes names unique in the world, and the same at each deployment: 52 bits of a hash.')
func tokenOf(subscriptionId string, prefix string, location string) string =>
  take(replace(guid(subscriptionId, prefix, location), '-', ''), 13)

@export()
@description('A name of most kinds: func-fixit-0a1b2c3d4e5f6.')
func nameOf(kind string, prefix string, token string) string => '${kind}-${prefix}-${token}'

@export()
@description('A storage account takes 24 lower-case letters and digits: h host, d data, l standby lane.')
func accountOf(letter 'h' | 'd' | 'l', prefix string, token string) string =>
  'st${take(replace(prefix, '-', ''), 8)}${letter}${token}'

@export()
@description('A vault takes 24 letters, digits and dashes.')
func vaultOf(prefix string, token string) string => 'kv-${take(replace(prefix, '-', ''), 7)}-${token}'
