# conda's recipe, without conda: the script of meta.yaml fills an environment's folder, and its tests run there.
read_recipe() {
    python3 - "$@" <<'PY'
import sys, jinja2, yaml
with open('packaging/conda/meta.yaml') as file:
    text = jinja2.Template(file.read()).render(compiler=lambda language: language + ' compiler')
value = yaml.safe_load(text)
for key in sys.argv[1:]:
    value = value[key]
print(value if isinstance(value, str) else '\n'.join(value))
PY
}

build() {
    PREFIX=/environment bash -euc "$(read_recipe build script)"
    PATH=/environment/bin:$PATH bash -euc "$(read_recipe test commands)"
    tar -C / -cf /packages/conda.tar environment
}

try() {
    echo 'not tried: conda, which Debian lacks'
    install() { tar -C / -xf /packages/conda.tar; }
    use() { OCL_ICD_VENDORS=/environment/etc/OpenCL/vendors kernels /environment/bin/pumice; }
    remove() { rm -r /environment; }
    traceless
}
