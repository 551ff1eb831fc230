# The rules that variables keep. Bicep's are the same (infra/bicep/rules.bicep), and tests hold both together. A
# validation cannot refer to what is made of its own variable, so that each says twice which entries it refuses.
locals {
  # At least three characters; that it has at most 63 is asked beside it.
  queue = "^[a-z0-9](-[a-z0-9]|[a-z0-9]-?[a-z0-9])(-?[a-z0-9])*$"

  host   = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
  origin = "^https?://${local.host}(\\.${local.host})*(:[0-9]{1,5})?$"

  number = "^[0-9]+(\\.[0-9]+)?$"
}
